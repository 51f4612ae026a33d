/** Which files can be clustered together: images and archives of them, or one table. */

const PICTURES = /\.(png|jpe?g|gif|bmp|webp|tiff?|zip)$/i;
const TABLES = /\.(csv|parquet)$/i;

/** @typedef {{file: File, name: string}} NamedFile */

/**
 * Choose from what was dropped.
 *
 * @param {NamedFile[]} dropped
 * @returns {{files: NamedFile[], ignored: string[]}} all images and archives, or one table; and what was not taken
 * @throws {Error} if nothing can be clustered, or it is unclear what
 */
export function sortFiles(dropped) {
  const visible = dropped.filter(
    ({ name }) => !name.split("/").some((part) => part.startsWith(".") || part === "__MACOSX"),
  );
  const tables = visible.filter(({ name }) => TABLES.test(name)),
    pictures = visible.filter(({ name }) => PICTURES.test(name));
  if (tables.length > 1) throw new Error(`One table at a time, please. Got ${listed(tables)}.`);
  if (tables.length && pictures.length)
    throw new Error(
      `Either pictures or one table, not both at once. Got ${listed([...tables, ...pictures])}.`,
    );
  const files = tables.length ? tables : pictures;
  if (!files.length) {
    const got = visible.length ? `Got ${listed(visible)}.` : "Got no files.";
    throw new Error(
      `Drop images (PNG, JPEG, GIF, BMP, WebP, TIFF), a zip of them, or one CSV or Parquet table. ${got}`,
    );
  }
  return { files, ignored: visible.filter((each) => !files.includes(each)).map(({ name }) => name) };
}

/** @param {NamedFile[]} files */
function listed(files) {
  const names = files
    .slice(0, 3)
    .map(({ name }) => name)
    .join(", ");
  return files.length > 3 ? `${names} and ${files.length - 3} more` : names;
}
