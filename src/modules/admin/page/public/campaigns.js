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
  const rest = el('p', { class: 'muted', role: 'status' });
  const search = el('input', { type: 'search', id: 'search', placeholder: 'Name or request id', maxlength: 100 });
  root.replaceChildren(
    el(
      'div',
      { class: 'head' },
      el('h1', {}, 'Campaigns'),
      el('label', { for: 'search', class: 'hidden' }, 'Search'),
      search,
    ),
    figure,
    el('section', { 'aria-labelledby': 'live-title' }, el('h2', { id: 'live-title' }, 'Live'), none, live),
    el('section', { 'aria-labelledby': 'over-title' }, el('h2', { id: 'over-title' }, 'Recent'), over),
    rest,
  );
  const liveParts = new Map();
  const overParts = new Map();

  async function refresh() {
    const text = search.value.trim();
    const [all, found] = await Promise.all([load(''), text === '' ? null : load(text)]);
    const { moving, others, total } = found ?? all;
    if (text !== search.value.trim()) return; // typed on meanwhile: the next answer is already on its way
    addSample(grouped([...all.moving, ...all.others]));
    figure.replaceChildren(chart(figure.clientWidth - CARD_EDGES));
    const build = (campaign) => card(campaign, refresh);
    showList(live, moving, keyOf, build, liveParts);
    showList(over, others, keyOf, build, overParts);
    none.hidden = moving.length > 0;
    none.replaceChildren(...(moving.length > 0 ? [] : [nothing(text)]));
    over.parentElement.hidden = others.length === 0;
    const shown = moving.length + others.length;
    const words = total > shown ? `${number(shown)} of ${number(total)} campaigns. Search finds the others.` : '';
    if (rest.textContent !== words) rest.textContent = words;
  }

  let typing;
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => void refresh().catch((error) => notice(error.message, true)), 250);
  });
  return refresh;
}

const keyOf = ({ request_id: id }) => id;

const nothing = (text) =>
  text === ''
    ? empty('Nothing is being sent', 'Campaigns show up here when they begin.')
    : empty('No live campaign of that name', 'What is over stands below.');

/**
 * What is live, however many newer campaigns there are, and of what is over the newest.
 * @param text part of the name or the request id; '' = any
 */
async function load(text) {
  const path = text === '' ? LIST : `${LIST}&search=${encodeURIComponent(text)}`;
  const [newest, ...live] = await Promise.all([
    get(path),
    ...LIVE_STATES.map((state) => get(`${path}&state=${state}`)),
  ]);
  // one that changes its state between two of the answers may stand in several of them, or in the first alone
  const found = [...live.flatMap(({ data }) => data), ...newest.data.filter(isLive)];
  const moving = new Map(found.map((campaign) => [keyOf(campaign), campaign]));
  const others = newest.data.filter((campaign) => !moving.has(keyOf(campaign)));
  return { moving: [...moving.values()], others, total: newest.total };
}

const isLive = ({ state }) => LIVE_STATES.includes(state);

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
      ` · ${username} · ${campaign.created_at} · ${number(campaign.credits)} ${campaign.credits === 1 ? 'credit' : 'credits'}`,
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
    isLive({ state }) ? button('cancel', 'Cancel', cancel, 'quiet danger-text', name) : null,
  ];
}
