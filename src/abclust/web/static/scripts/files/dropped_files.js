/** What a drop holds, folders opened all the way down. */

/** @typedef {import("./file_kinds.js").NamedFile} NamedFile */

/**
 * @param {DataTransfer} transfer must be read at once: it is empty after the event
 * @returns {Promise<NamedFile[]>} names hold the path below what was dropped
 */
export async function droppedFiles(transfer) {
  const entries = [...transfer.items]
    .filter((item) => item.kind === "file")
    .map((item) => item.webkitGetAsEntry?.());
  if (entries.length && entries.every(Boolean)) {
    return (
      await Promise.all(entries.map((entry) => filesBelow(/** @type {FileSystemEntry} */ (entry), "")))
    ).flat();
  }
  return namedFiles(transfer.files);
}

/**
 * @param {Iterable<File>} files of an input or the clipboard
 * @returns {NamedFile[]}
 */
export function namedFiles(files) {
  return [...files].map((file) => ({ file, name: file.webkitRelativePath || file.name }));
}

/**
 * @param {any} entry
 * @param {string} above
 * @returns {Promise<NamedFile[]>}
 */
async function filesBelow(entry, above) {
  const name = above + entry.name;
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, name }];
  }
  const reader = entry.createReader();
  const found = [];
  // A reader gives a hundred entries at a time, and none when it is done.
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found;
    for (const each of some) found.push(...(await filesBelow(each, `${name}/`)));
  }
}
