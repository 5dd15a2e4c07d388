/** What accounts ask for: one request of each kind, made of a seed. Numbers are never used twice, so that each is one recipient. */

/** Shares of the fates of numbers, by their last two digits (`carriers/carrier.mjs`). */
const ENDINGS = { 11: 920, '04': 40, '03': 12, '08': 5, 29: 6, 50: 6, 80: 11 };

/** Numbers of one strike, which the strict reader takes: mobile numbers of India. */
export class Numbers {
  #serial = 0;

  constructor(seed, strike) {
    Object.assign(this, { seed, prefix: `91${9_000 + strike}` });
  }

  /** @param {{ isPlain?: boolean }} [options] plain: one that a carrier delivers to */
  next({ isPlain = false } = {}) {
    const ending = isPlain ? '11' : this.seed.weighted(ENDINGS);
    return `${this.prefix}${String(this.#serial++).padStart(4, '0')}${ending.padStart(2, '0')}`;
  }

  many(count, options) {
    return Array.from({ length: count }, () => this.next(options));
  }
}

const soon = (seed) => new Date(Date.now() + seed.between(1_200, 3_000)).toISOString();
const TEXTS = ['Your code is 4711', 'Grüße vom Händler', 'Ваш заказ готов', `A long text: ${'x'.repeat(200)}`];
/** Of the routes that an SMS may name. */
const SERVICES = { any: 6, paced: 2, exact: 2 };
const template = (text) => ({
  name: 'order',
  language: { code: 'en_US' },
  components: [{ type: 'body', parameters: [{ type: 'text', text }] }],
});

/**
 * By kind: `({ seed, numbers, member, name, audioUrl }) => { path, body, numbers, … }`. `name` is unlike all others, and what the
 * client knows the request by: broadcast_name, providermessageid or Idempotency-Key.
 */
const KINDS = {
  sms({ seed, numbers, name }) {
    const own = numbers.many(seed.chance(0.4) ? 1 : seed.between(5, 60));
    const hasOwnId = seed.chance(0.4);
    const body = {
      ...{ broadcast_name: name, brodcast_service: seed.weighted(SERVICES), message: seed.pick(TEXTS), contacts: own },
      ...(hasOwnId ? { providermessageid: name } : {}),
      ...(seed.chance(0.15) ? { schedule_time: soon(seed) } : {}),
    };
    return { path: '/webhook/api/addbroadcastgsm.php', body, numbers: own, balance: 'gsm_credits', keyless: hasOwnId };
  },
  smsLink({ seed, numbers, name, member }) {
    const number = numbers.next();
    const query = {
      username: member.username,
      password: member.password,
      message: seed.pick(TEXTS),
      number,
      providermessageid: name,
    };
    const path = `/v5/api/sms_get.php?${new URLSearchParams(query)}`;
    return { method: 'GET', path, numbers: [number], balance: 'gsm_credits', keyless: true };
  },
  unofficial({ seed, numbers, name }) {
    const own = numbers.many(seed.between(1, 20));
    const body = {
      ...{ broadcast_name: name, brodcast_service: 'chat', message: seed.pick(TEXTS), contacts: own },
      ...(seed.chance(0.3) ? { img1: 'https://files.example/a.png' } : {}),
      ...(seed.chance(0.15) ? { schedule_time: soon(seed) } : {}),
    };
    return { path: '/webhook/api/addbroadcastUnofficial.php', body, numbers: own, balance: 'bulk_chat_credits' };
  },
  template({ seed, numbers, member }) {
    const own = seed.chance(0.4) ? numbers.next() : numbers.many(seed.between(2, 15));
    const body = { messaging_product: 'chat', to: own, type: 'template', template: template('Asha') };
    const path = `/v6/api/chatTemplate/24/${member.username}/messages`;
    return { path, body, numbers: [own].flat(), balance: 'chat_utility_credits' };
  },
  branded({ seed, numbers, member }) {
    const own = numbers.many(seed.between(1, 15));
    const body = { messaging_product: 'chat', to: own, type: 'template', template: template('Bela') };
    const path = `/v6/api/chatBranded/24/${member.username}/messages`;
    return { path, body, numbers: own, balance: 'chat_utility_credits' };
  },
  personalised({ seed, numbers, name }) {
    const own = numbers.many(seed.between(1, 40));
    const channel = seed.pick(['sms', 'unofficial', 'template', 'branded']);
    const recipients = own.map((to, place) => ({
      to,
      variables: { 1: `name ${place}`, name: seed.chance(0.3) ? 'x'.repeat(seed.between(1, 250)) : `name ${place}` },
    }));
    const isText = channel === 'sms' || channel === 'unofficial';
    const content = isText ? { message: 'Hello {{name|there}}, your order is ready' } : { template: 'order' };
    const body = {
      channel,
      broadcast_name: name,
      recipients,
      ...content,
      ...(seed.chance(0.15) ? { schedule_time: soon(seed) } : {}),
    };
    const balance = { sms: 'gsm_credits', unofficial: 'bulk_chat_credits' }[channel] ?? 'chat_utility_credits';
    return { path: '/v6/api/campaigns', body, numbers: own, balance };
  },
  voice({ seed, numbers, name, audioUrl }) {
    const own = numbers.many(seed.between(1, 8));
    const retries = seed.chance(0.15) ? 1 : 0;
    const body = { broadcast_name: name, audio_url: audioUrl, contacts: own, retries, retry_interval: 5 };
    return { path: '/v6/api/v1/voice/send', body, numbers: own, balance: 'voice_credits' };
  },
  session({ numbers, name, member }) {
    const to = numbers.next({ isPlain: true });
    const body = { messaging_product: 'chat', to, type: 'text', text: { body: name } };
    return { path: `/v6/api/chat/24/${member.username}/messages`, body, numbers: [to], isSession: true };
  },
  sessionOld({ seed, name, member }) {
    const to = member.friends.pop();
    if (to === undefined) return null;
    const body = {
      ...{ contacts: to, broadcast_message: name, broadcast_name: name },
      ...(seed.chance(0.3) ? { schedule_time: new Date(Date.now() + 3_000).toISOString().slice(11, 19) } : {}),
    };
    return { path: '/v5/api/session1.php', body, numbers: [to], isSession: true };
  },
};

const SHARES = {
  ...{ sms: 30, smsLink: 12, unofficial: 12, template: 10, branded: 6 },
  ...{ personalised: 14, voice: 6, session: 6, sessionOld: 4 },
};

/** The next request of an account. */
export function nextRequest(context) {
  const kind = context.seed.weighted(SHARES);
  const made = KINDS[kind](context);
  return made === null ? nextRequest(context) : { kind, method: 'POST', isSession: false, keyless: false, ...made };
}

/** A campaign that lasts as long as the traffic does, over the route that is paced. */
export const longCampaign = ({ numbers, name }, count) => {
  const own = numbers.many(count);
  const body = { broadcast_name: name, brodcast_service: 'paced', message: 'A long campaign', contacts: own };
  return {
    ...{ kind: 'sms', method: 'POST', path: '/webhook/api/addbroadcastgsm.php', body, numbers: own },
    ...{ balance: 'gsm_credits', isSession: false, keyless: false },
  };
};
