// Foreign text (ids, reasons) reaches the page only through textContent, never as markup.

export const byId = (id) => document.getElementById(id);

export function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

// Writing the same text again would end a reader's selection.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// A cell of a table; one without a value is left out where rows are cards.
export function setCell(cell, text) {
  setText(cell, text ?? "–");
  cell.toggleAttribute("data-empty", text === undefined || text === null || text === "–");
}

export function setState(node, state, word) {
  node.dataset.state = state;
  setText(node, word);
}

// Makes the children of `parent` those of `items`, in order: rows that stay are updated, never made anew, so that
// focus and scrolling survive an update. Each create() gives a node; update(node, item) fills it.
export function reconcile(parent, items, keyOf, create, update) {
  const old = new Map(Array.from(parent.children, (node) => [node.dataset.key, node]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let node = old.get(key);
    if (node) {
      old.delete(key);
    } else {
      node = create(item);
      node.dataset.key = key;
    }
    if (node === place) {
      place = place.nextElementSibling;
    } else {
      parent.insertBefore(node, place);
    }
    update(node, item);
  }
  for (const node of old.values()) node.remove();
}
