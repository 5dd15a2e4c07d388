import { get, post } from './api.js';
import { addSample, chart } from './chart.js';
import { button, confirm, el, empty, notice, number, showList } from './dom.js';
import { finalOf, grouped, GROUPS, LIVE_STATES } from './statuses.js';

/** What the card around the chart takes of the width, pixels. */
const CARD_EDGES = 40;
const LIST = '/v6/api/admin/campaigns?limit=50';

/** Live campaigns with their progress, what is over, and statuses over time. */
export function campaignsView(root) {
  const figure = el('div', {});
  const live = el('ul', { class: 'list' });
  const over = el('ul', { class: 'list' });
  const none = el('div', { hidden: true });
  const search = el('input', { type: 'search', id: 'search', placeholder: 'Name or request id', maxlength: 100 });
  const found = el('section', { 'aria-labelledby': 'over-title' }, el('h2', { id: 'over-title' }, 'Recent'), over);
  const running = el(
    'section',
    { 'aria-labelledby': 'live-title' },
    el('h2', { id: 'live-title' }, 'Live'),
    none,
    live,
  );
  root.replaceChildren(
    el(
      'div',
      { class: 'head' },
      el('h1', {}, 'Campaigns'),
      el('label', { for: 'search', class: 'hidden' }, 'Search'),
      search,
    ),
    figure,
    running,
    found,
  );
  const liveParts = new Map();
  const overParts = new Map();

  async function refresh() {
    const text = search.value.trim();
    const [{ data: newest }, matching] = await Promise.all([
      get(LIST),
      text === '' ? null : get(`${LIST}&search=${encodeURIComponent(text)}`),
    ]);
    addSample(grouped(newest));
    figure.replaceChildren(chart(figure.clientWidth - CARD_EDGES));
    const shown = matching?.data ?? newest;
    const build = (campaign) => card(campaign, refresh);
    const isLive = ({ state }) => LIVE_STATES.has(state);
    showList(live, shown.filter(isLive), keyOf, build, liveParts);
    showList(
      over,
      shown.filter((campaign) => !isLive(campaign)),
      keyOf,
      build,
      overParts,
    );
    none.hidden = shown.some(isLive);
    none.replaceChildren(
      ...(shown.some(isLive) ? [] : [empty('Nothing is being sent', 'Campaigns show up here when they begin.')]),
    );
    found.hidden = over.children.length === 0;
  }

  let typing;
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => void refresh().catch((error) => notice(error.message, true)), 250);
  });
  return refresh;
}

const keyOf = ({ request_id: id }) => id;

function card(campaign, refresh) {
  const { request_id: id, channel, broadcast_name: name, state, total_rows: rows, username } = campaign;
  const sums = grouped([campaign]);
  const words = Object.entries(campaign.status_counts);
  return el(
    'li',
    { class: 'card campaign', 'data-id': id },
    el(
      'div',
      { class: 'card-head' },
      el('h3', {}, name),
      el('span', { class: 'chip' }, channel),
      el('span', { class: `chip state ${state}` }, state.replaceAll('_', ' ')),
    ),
    el(
      'p',
      { class: 'muted meta' },
      el('code', {}, id),
      ` · ${username} · ${campaign.created_at} · ${number(campaign.credits)} credits`,
    ),
    progress(sums, rows, name),
    el(
      'div',
      { class: 'card-foot' },
      el(
        'ul',
        { class: 'words' },
        words.map(([word, count]) => el('li', {}, `${word} `, el('b', {}, number(count)))),
      ),
      el('div', { class: 'buttons' }, actions(campaign, refresh)),
    ),
  );
}

function progress(sums, rows, name) {
  const final = finalOf(sums);
  const percent = rows === 0 ? 100 : Math.floor((final / rows) * 100);
  const parts = GROUPS.filter(({ key }) => key !== 'waiting' && sums[key] > 0).map(({ key, title }) => {
    const part = el('span', { class: `part ${key}`, title: `${title} ${number(sums[key])}` });
    part.style.width = `${(sums[key] / Math.max(1, rows)) * 100}%`;
    return part;
  });
  return el(
    'div',
    { class: 'progress' },
    el(
      'div',
      {
        class: 'track',
        role: 'progressbar',
        'aria-label': name,
        'aria-valuemin': 0,
        'aria-valuemax': 100,
        'aria-valuenow': percent,
        'aria-valuetext': `${number(final)} of ${number(rows)} final`,
      },
      parts,
    ),
    el('span', { class: 'muted' }, `${number(final)} of ${number(rows)} final · ${percent} %`),
  );
}

function actions({ request_id: id, broadcast_name: name, state }, refresh) {
  const path = `/v6/api/campaigns/${encodeURIComponent(id)}`;
  const act = async (change, done) => {
    await post(`${path}/${change}`);
    notice(`${name}: ${done}`);
    await refresh();
  };
  const cancel = async () => {
    const text = `What has not left is not sent and is refunded. Campaign: ${name}`;
    if ((await confirm({ title: 'Cancel the campaign?', text, yes: 'Cancel it' })) !== null)
      await act('cancel', 'cancelled');
  };
  return [
    state === 'accepted' || state === 'running'
      ? button('pause', 'Pause', () => act('pause', 'paused'), 'quiet', name)
      : null,
    state === 'paused' ? button('resume', 'Resume', () => act('resume', 'goes on'), 'primary', name) : null,
    LIVE_STATES.has(state) ? button('cancel', 'Cancel', cancel, 'quiet danger-text', name) : null,
  ];
}
