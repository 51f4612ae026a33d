/** Building elements. Text always goes in as text, so that the name of a file can never become markup. */

/** @typedef {Record<string, string | number | boolean | ((event: any) => void) | null | undefined>} Attributes */
/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Make an element.
 *
 * Attributes that begin with `on` and are functions become listeners; `true` sets an empty attribute; `false`,
 * `null` and `undefined` set none. There is no `style` here: the content-security policy forbids it as an attribute.
 *
 * @param {string} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {any} an element of that name
 */
export function element(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

/**
 * Make an element of a picture.
 *
 * @param {string} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {any}
 */
export function pictureElement(name, attributes = {}, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

/**
 * The element of that id, which the page must have.
 *
 * @param {string} id
 * @returns {any}
 */
export function theElement(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page must have an element #${id}`);
  return found;
}

/**
 * @param {Element} made
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function furnish(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(
    ...children.filter((child) => child !== null && child !== undefined && child !== false).map(asNode),
  );
  return made;
}

/** @param {any} child */
function asNode(child) {
  return child instanceof Node ? child : String(child);
}
