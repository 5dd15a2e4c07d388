/**
 * Elements out of data. Text only ever becomes a text node and attributes are set as such, so nothing that a customer
 * has written can become markup.
 */

const SVG = 'http://www.w3.org/2000/svg';

/** `el('p', { class: 'muted' }, 'text', child)`; `onclick` and the like take functions, false and null leave out. */
export const el = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, tag), attributes, children);

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Shows a list so that what did not change stays where it is, with its focus and its sound playing.
 * @param parts Map kept by the caller between two calls: key → { text, node }
 */
export function showList(container, items, keyOf, build, parts) {
  const nodes = items.map((item) => {
    const key = keyOf(item);
    const text = JSON.stringify(item);
    const known = parts.get(key);
    if (known?.text === text) return known.node;
    const node = build(item);
    if (known) takePlace(known.node, node);
    parts.set(key, { text, node });
    return node;
  });
  const kept = new Set(nodes);
  for (const [key, { node }] of parts) {
    if (kept.has(node)) continue;
    parts.delete(key);
    if (node.contains(document.activeElement)) passFocus(node);
    node.remove();
  }
  nodes.forEach((node, index) => {
    if (container.children[index] !== node) container.insertBefore(node, container.children[index] ?? null);
  });
}

/** The new element stands where the old one stood, and what had the focus has it again. */
function takePlace(old, node) {
  const focused = old.contains(document.activeElement) ? document.activeElement.dataset.act : undefined;
  old.replaceWith(node);
  if (focused !== undefined) node.querySelector(`[data-act="${CSS.escape(focused)}"]`)?.focus();
}

/** With a keyboard or a screen reader one goes on with the next of the list, and does not begin again at the top of the page. */
function passFocus(node) {
  const act = document.activeElement.dataset.act;
  const next = node.nextElementSibling ?? node.previousElementSibling;
  const button = act === undefined ? null : next?.querySelector(`[data-act="${CSS.escape(act)}"]`);
  (button ?? document.getElementById('content')).focus();
}

const ask = document.getElementById('ask');

/**
 * Asks before something that cannot be undone.
 * @param question { title, text, yes, label? } `label` asks for a text too
 * @returns null = no; else the text, '' when none was asked for or given
 */
export function confirm({ title, text, yes, label }) {
  const input = document.getElementById('ask-input');
  document.getElementById('ask-title').textContent = title;
  document.getElementById('ask-text').textContent = text;
  document.getElementById('ask-yes').textContent = yes;
  document.getElementById('ask-label').textContent = label ?? '';
  document.getElementById('ask-label').hidden = label === undefined;
  input.hidden = label === undefined;
  input.value = '';
  ask.returnValue = 'no';
  ask.showModal();
  if (label === undefined) document.getElementById('ask-yes').focus();
  else input.focus();
  return new Promise((resolve) => {
    ask.addEventListener('close', () => resolve(ask.returnValue === 'yes' ? input.value.trim() : null), { once: true });
  });
}

/** Says in the corner what came of something; faults stay longer. */
export function notice(text, bad = false) {
  const note = el('p', { class: bad ? 'notice bad' : 'notice', role: bad ? 'alert' : null }, text);
  document.getElementById('notices').append(note);
  setTimeout(() => note.remove(), bad ? 9000 : 4000);
}

/** A button that is off while its work runs, but keeps the focus; what fails is said. */
export function button(act, label, work, kind = 'quiet', about = '') {
  return el(
    'button',
    {
      type: 'button',
      class: kind,
      'data-act': act,
      'aria-label': about === '' ? null : `${label}: ${about}`,
      onclick: async ({ currentTarget: pressed }) => {
        if (pressed.ariaDisabled === 'true') return;
        pressed.ariaDisabled = 'true';
        try {
          await work();
        } catch (error) {
          notice(error.message, true);
        } finally {
          pressed.ariaDisabled = null;
        }
      },
    },
    label,
  );
}

export const empty = (title, text) =>
  el('div', { class: 'empty' }, el('p', { class: 'empty-title' }, title), el('p', { class: 'muted' }, text));

export const number = (value) => Number(value).toLocaleString('en');
