import { get } from './api.js';
import { el, empty, number, showList } from './dom.js';

export const ROUTES = '/v6/api/admin/routes?limit=1000';

const HEALTH = {
  up: 'Connected',
  degraded: 'Not on every worker',
  down: 'Not connected',
  unknown: 'No worker reports it',
};

/** The ways to the carriers and whether the workers reach them. */
export function routesView(root) {
  const body = el('tbody', {});
  const heads = ['Route', 'Health', 'Channel', 'Driver', 'Pace'].map((text) => el('th', { scope: 'col' }, text));
  const table = el('table', {}, el('thead', {}, el('tr', {}, heads)), body);
  const rest = el('div', { hidden: true });
  root.replaceChildren(
    el(
      'div',
      { class: 'head' },
      el('h1', {}, 'Routes'),
      el('p', { class: 'muted' }, 'As the workers see them, at most 15 seconds ago.'),
    ),
    rest,
    el('div', { class: 'card scroll', tabindex: 0, role: 'region', 'aria-label': 'Routes' }, table),
  );
  const parts = new Map();
  return async () => {
    const { data } = await get(ROUTES);
    const shown = data.map(
      ({ name, channel, driver, messages_per_second: speed, is_default: isDefault, health, last_error: fault }) => ({
        ...{ name, channel, driver, speed, isDefault, health, fault },
      }),
    );
    showList(body, shown, ({ name }) => name, row, parts);
    rest.hidden = shown.length > 0;
    rest.replaceChildren(
      ...(shown.length === 0 ? [empty('No routes', 'PUT /v6/api/admin/routes/:name makes one.')] : []),
    );
    table.parentElement.hidden = shown.length === 0;
  };
}

const row = ({ name, channel, driver, speed, isDefault, health, fault }) =>
  el(
    'tr',
    { 'data-id': name },
    el('th', { scope: 'row' }, name, isDefault ? el('span', { class: 'chip' }, 'default') : null),
    el(
      'td',
      {},
      el('span', { class: `health ${health}` }, HEALTH[health] ?? health),
      fault ? el('div', { class: 'muted' }, fault) : null,
    ),
    el('td', {}, channel),
    el('td', {}, driver),
    el('td', {}, speed === null ? 'no limit' : `${number(speed)} / s`),
  );
