import { BASE, get, loggedInName, logOut } from './api.js';
import { campaignsView } from './campaigns.js';
import { PENDING, profilesView, sendersView, templatesView, voiceView } from './reviews.js';
import { el } from './dom.js';
import { ROUTES, routesView } from './routes.js';

const VIEWS = {
  campaigns: { title: 'Campaigns', open: campaignsView },
  templates: { title: 'Templates', open: templatesView },
  voice: { title: 'Voice', open: voiceView },
  profiles: { title: 'Profile requests', open: profilesView },
  senders: { title: 'Sender ids', open: sendersView },
  routes: { title: 'Routes', open: routesView },
};
const EVERY_MS = 2_000;
/** What waits for a decision is counted with every fifth look. */
const COUNT_EVERY = 5;

const live = document.getElementById('live');
let refresh = async () => undefined;
let looks = 0;

function open() {
  const name = Object.hasOwn(VIEWS, location.hash.slice(1)) ? location.hash.slice(1) : 'campaigns';
  const { title, open: openView } = VIEWS[name];
  for (const link of document.querySelectorAll('#tabs a')) {
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${title} · Switchboard`;
  const root = el('section', { id: 'view' });
  document.getElementById('view').replaceWith(root);
  refresh = openView(root);
  looks = 0;
  void look();
}

/** One look; a fault stays on the page until the next one succeeds. */
async function look() {
  const mine = refresh;
  try {
    await mine();
    if (looks % COUNT_EVERY === 0) await count();
    looks += 1;
    say('', false);
  } catch (error) {
    if (mine === refresh) say(error.message, true);
  }
}

function say(text, bad) {
  const words = bad ? `Out of date: ${text}` : 'Live';
  // said anew, the same words would be read out anew
  if (live.textContent !== words) live.textContent = words;
  live.classList.toggle('bad', bad);
}

async function count() {
  const paths = Object.entries(PENDING).map(async ([name, path]) => [
    name,
    (await get(path.replace(/limit=\d+/, 'limit=1'))).total,
  ]);
  const routes = get(ROUTES).then(({ data }) => ['routes', data.filter(({ health }) => health === 'down').length]);
  for (const [name, total] of await Promise.all([...paths, routes])) {
    const badge = document.querySelector(`[data-count="${name}"]`);
    badge.textContent = total > 99 ? '99+' : String(total);
    badge.hidden = total === 0;
  }
}

async function keepLooking() {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    if (!document.hidden) await look();
  }
}

const name = loggedInName();
if (name === null) location.replace(`${BASE}/admin/login`);
else {
  document.getElementById('who').textContent = name;
  document.getElementById('logout').addEventListener('click', () => void logOut());
  window.addEventListener('hashchange', open);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void look();
  });
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    document.getElementById('content').focus();
  });
  open();
  void keepLooking();
}
