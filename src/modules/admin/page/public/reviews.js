import { get, patch, post } from './api.js';
import { button, confirm, el, empty, notice, number, showList } from './dom.js';

export const PENDING = {
  templates: '/v6/api/admin/templates?status=pending&limit=50',
  voice: '/v6/api/admin/campaigns?state=pending_approval&channel=voice&limit=50',
  profiles: '/v6/api/admin/profile-requests?status=pending&limit=50',
  senders: '/v6/api/admin/sender-ids?status=pending&limit=50',
};
const TAKEN_UP = '/v6/api/admin/profile-requests?status=processing&limit=50';
const CATEGORIES = { 1: 'marketing', 2: 'utility', 3: 'auth' };

/** A review: what waits, and what is done with it. */
function review(root, { title, about, load, keyOf, build, nothing }) {
  const list = el('ul', { class: 'list wide' });
  const rest = el('div', { hidden: true });
  root.replaceChildren(
    el('div', { class: 'head' }, el('h1', {}, title), el('p', { class: 'muted' }, about)),
    rest,
    list,
  );
  const parts = new Map();
  const refresh = async () => {
    const { items, total } = await load();
    showList(list, items, keyOf, (item) => build(item, refresh), parts);
    rest.hidden = items.length > 0 && total <= items.length;
    rest.replaceChildren(
      ...(items.length === 0 ? [empty('Nothing waits', nothing)] : []),
      ...(total > items.length ? [el('p', { class: 'muted' }, `The newest ${items.length} of ${number(total)}.`)] : []),
    );
  };
  return refresh;
}

const loadOne = (path) => async () => {
  const { data, total } = await get(path);
  return { items: data, total };
};

/**
 * Sends a verdict with the revision that the card shows. The later of two sees at once what has become of it.
 * @throws ApiError with the API's text, after the name
 */
async function judge(name, send, refresh) {
  try {
    await send();
  } catch (error) {
    if (error.status === 409) await refresh();
    error.message = `${name}: ${error.message}`;
    throw error;
  }
}

const facts = (...pairs) =>
  el(
    'dl',
    { class: 'facts' },
    pairs.flatMap(([name, value]) =>
      value === null || value === '' ? [] : [el('div', {}, el('dt', {}, name), el('dd', {}, value))],
    ),
  );

const cardHead = (title, ...chips) =>
  el(
    'div',
    { class: 'card-head' },
    el('h2', {}, title),
    chips.map((text) => el('span', { class: 'chip' }, text)),
  );

/** Approve, and reject with a reason that the owner sees. */
function verdicts({ path, kind, name, revision }, refresh) {
  const move = async (verdict, reason) => {
    const body = reason ? { revision, reason } : { revision };
    await judge(name, () => post(`${path}/${verdict}`, body), refresh);
    notice(`${name}: ${verdict === 'approve' ? 'approved' : 'rejected'}`);
    await refresh();
  };
  const reject = async () => {
    const text = `The owner sees the reason. It is about ${name}`;
    const reason = await confirm({ title: `Reject the ${kind}?`, text, yes: 'Reject it', label: 'Reason' });
    if (reason !== null) await move('reject', reason);
  };
  return el(
    'div',
    { class: 'buttons' },
    button('approve', 'Approve', () => move('approve'), 'primary', name),
    button('reject', 'Reject', reject, 'quiet danger-text', name),
  );
}

export const templatesView = (root) =>
  review(root, {
    title: 'Templates',
    about: 'New templates wait for a verdict before they can be sent.',
    nothing: 'New templates show up here.',
    load: loadOne(PENDING.templates),
    keyOf: ({ id }) => id,
    build: templateCard,
  });

function templateCard(template, refresh) {
  const { id, template_name: name, revision } = template;
  const judged = { path: `/v6/api/admin/templates/${id}`, kind: 'template', name, revision };
  return el(
    'li',
    { class: 'card', 'data-id': id },
    cardHead(name, CATEGORIES[template.category] ?? `category ${template.category}`),
    el('p', { class: 'muted meta' }, `${template.username} · ${template.created_at} · no. ${id}`),
    bubble(template),
    facts(['Sample of the header', template.header_example_url], ['Samples', template.body_examples.join(', ')]),
    verdicts(judged, refresh),
  );
}

/** The message about as a recipient sees it. */
function bubble(template) {
  const header =
    template.header_area_type === 'media'
      ? el('p', { class: 'media' }, template.header_media_type)
      : template.header_text
        ? el('p', { class: 'bubble-title' }, template.header_text)
        : null;
  return el(
    'div',
    { class: 'bubble' },
    header,
    el('p', { class: 'bubble-text' }, template.template_body || '(no text)'),
    template.template_footer ? el('p', { class: 'muted' }, template.template_footer) : null,
    repliesOf(template).map((text) => el('p', { class: 'reply' }, text)),
  );
}

function repliesOf({ quick_replies: text }) {
  try {
    return JSON.parse(text).map((reply) => String(reply.text));
  } catch {
    return [];
  }
}

export const voiceView = (root) =>
  review(root, {
    title: 'Voice campaigns',
    about: 'Listen before any call is made. A rejected campaign is refunded.',
    nothing: 'New voice campaigns show up here.',
    load: loadOne(PENDING.voice),
    keyOf: ({ request_id: id }) => id,
    build: voiceCard,
  });

function voiceCard(campaign, refresh) {
  const { request_id: id, broadcast_name: name, revision } = campaign;
  const decide = async (verdict, done) => {
    const path = `/v6/api/admin/campaigns/${encodeURIComponent(id)}/${verdict}`;
    await judge(name, () => post(path, { revision }), refresh);
    notice(`${name}: ${done}`);
    await refresh();
  };
  const reject = async () => {
    const text = `No call is made and all credits go back. Campaign: ${name}`;
    if ((await confirm({ title: 'Reject the campaign?', text, yes: 'Reject it' })) !== null) {
      await decide('reject', 'rejected');
    }
  };
  const sound = soundOf(campaign.audio_url);
  return el(
    'li',
    { class: 'card', 'data-id': id },
    cardHead(name, 'voice'),
    el('p', { class: 'muted meta' }, el('code', {}, id), ` · ${campaign.username} · ${campaign.created_at}`),
    sound === null
      ? el('p', { class: 'fault' }, 'The recording cannot be played here.')
      : el('audio', { controls: true, preload: 'metadata', src: sound, 'aria-label': `What is heard: ${name}` }),
    campaign.message ? el('p', { class: 'spoken' }, campaign.message) : null,
    facts(
      ['Calls', number(campaign.recipients)],
      ['Caller id', campaign.caller_id ?? 'the route’s own'],
      ['Language', campaign.language],
      ['Retries', number(campaign.retries)],
      ['Credits', number(campaign.credits)],
      ['Scheduled', campaign.scheduled_at],
    ),
    menuOf(campaign.menu, name),
    el(
      'div',
      { class: 'buttons' },
      button('approve', 'Approve', () => decide('approve', 'approved'), 'primary', name),
      button('reject', 'Reject', reject, 'quiet danger-text', name),
    ),
  );
}

/** Every key with its clip and its numbers, menu in menu. */
const menuOf = (rows, name) =>
  rows === null || rows.length === 0
    ? null
    : el(
        'ul',
        { class: 'menu', 'aria-label': `Keys: ${name}` },
        rows.map((row) => {
          // A campaign of an earlier version plays whatever lies at its address, even where that looks like one of ours.
          const sound = row.source === null ? null : soundOf(row.clip);
          const does = row.action === 'transfer' ? ['transfer', row.number, ...row.fallback_numbers] : [row.action];
          return el(
            'li',
            {},
            el('p', {}, el('kbd', {}, row.digit), ` ${does.join(' → ')}${row.after ? `, then ${row.after}` : ''}`),
            sound === null
              ? row.clip && el('p', { class: 'fault' }, `Cannot be played here: ${row.clip}`)
              : el('audio', { controls: true, preload: 'none', src: sound, 'aria-label': `Key ${row.digit}: ${name}` }),
            row.source && el('p', { class: 'muted meta' }, row.source),
            menuOf(row.rows, `${name}, key ${row.digit}`),
          );
        }),
      );

/** The recording lies with the API itself, whatever name the world knows it by. */
function soundOf(url) {
  const name = /\/audio\/([A-Za-z0-9_.-]+)$/.exec(url ?? '')?.[1];
  return name === undefined ? null : `/audio/${name}`;
}

export const profilesView = (root) =>
  review(root, {
    title: 'Profile requests',
    about: 'Display names that customers want verified.',
    nothing: 'New profile requests show up here.',
    load: async () => {
      const [waiting, taken] = await Promise.all([get(PENDING.profiles), get(TAKEN_UP)]);
      return { items: [...waiting.data, ...taken.data], total: waiting.total + taken.total };
    },
    keyOf: ({ id }) => id,
    build: profileCard,
  });

function profileCard(request, refresh) {
  const { id, verified_name: name, status, revision } = request;
  const move = async (to) => {
    await judge(name, () => patch(`/v6/api/admin/profile-requests/${id}`, { status: to, revision }), refresh);
    notice(`${name}: ${to}`);
    await refresh();
  };
  const reject = async () => {
    const text = `The request can then no longer be changed. Name: ${name}`;
    if ((await confirm({ title: 'Reject the request?', text, yes: 'Reject it' })) !== null) await move('rejected');
  };
  return el(
    'li',
    { class: 'card', 'data-id': id },
    cardHead(name, request.channel, status),
    el('p', { class: 'muted meta' }, `${request.username} · ${request.created_at} · no. ${id}`),
    facts(['Business number', request.number], ['Number for the OTP', request.numberForOTP]),
    el(
      'div',
      { class: 'buttons' },
      status === 'pending' ? button('processing', 'Take up', () => move('processing'), 'quiet', name) : null,
      button('completed', 'Complete', () => move('completed'), 'primary', name),
      button('rejected', 'Reject', reject, 'quiet danger-text', name),
    ),
  );
}

export const sendersView = (root) =>
  review(root, {
    title: 'Sender ids',
    about: 'Messages and calls leave under them once they are approved.',
    nothing: 'New sender ids show up here.',
    load: loadOne(PENDING.senders),
    keyOf: ({ id, revision }) => `${id} ${revision}`,
    build: senderCard,
  });

function senderCard(sender, refresh) {
  const { id, sender_id: name, revision } = sender;
  return el(
    'li',
    { class: 'card', 'data-id': id },
    cardHead(name, sender.channel),
    el('p', { class: 'muted meta' }, `${sender.username} · ${sender.updated_at} · no. ${id}`),
    facts(['DLT entity', sender.dlt_entity_id], ['Use', sender.use_case]),
    verdicts({ path: `/v6/api/admin/sender-ids/${id}`, kind: 'sender id', name, revision }, refresh),
  );
}
