import { setTimeout as sleep } from 'node:timers/promises';
import { PASSWORD } from '../../stage/client.mjs';
import { longCampaign, nextRequest, Numbers } from './requests.mjs';

const A_SECOND = 16;
/** One in so many is a change of an earlier campaign. */
const CHANGES = 0.12;
const CHANGE = { pause: 3, cancel: 2, 'retry-failed': 4 };
const FRIENDS = 3;
const AGAIN_AT_ONCE = 8;
const requestIdOf = (said) => said?.request_id ?? said?.data?.request_id ?? null;
/** Kinds of which the API takes a key beside the name. */
const takesKey = ({ keyless, method }) => !keyless && method === 'POST';

/**
 * Five accounts that send, and change what they have sent. `asked` is what the client knows: each request with its answer, or
 * that it does not know the answer.
 */
export class Traffic {
  asked = [];
  changes = [];
  #count = 0;
  #open = new Set();
  #isOver = false;
  #paused = new Set();

  /** @param strike its number in the run, from which the names and numbers are made; share of the usual traffic */
  constructor(scene, balancer, seed, { strike, seconds, longRecipients, share = 1 }) {
    Object.assign(this, { scene, balancer, seed, strike, seconds, longRecipients, share });
    this.numbers = new Numbers(seed.of('numbers'), strike);
    this.label = `${seed.names.join('-')}`.replace(/[^A-Za-z0-9.-]/g, '');
    this.members = scene.members.map((member) => ({ ...member, password: PASSWORD, friends: [] }));
  }

  /** Contacts who have written to an account, so that it may answer them. */
  async meet() {
    const { graph } = this.scene.carriers;
    const meetings = this.members.flatMap((member) =>
      this.numbers.many(FRIENDS, { isPlain: true }).map(async (number) => {
        if (await graph.write(member.numberId, number).catch(() => false)) member.friends.push(number);
      }),
    );
    await Promise.all(meetings);
  }

  /** Sends until `end` is called. */
  async run() {
    const { seed } = this;
    for (const member of this.members.slice(0, 2)) this.#spawn(this.#long(member));
    while (!this.#isOver) {
      const member = seed.pick(this.members);
      const isChange = seed.chance(CHANGES);
      this.#spawn(isChange ? this.#change(member) : this.#ask(member, nextRequest));
      await sleep(seed.between(200, 1_800) / (A_SECOND * this.share));
    }
  }

  #spawn(work) {
    const promise = work.finally(() => this.#open.delete(promise));
    this.#open.add(promise);
  }

  /** Sends nothing more, and waits for the answers under way. */
  async end() {
    this.#isOver = true;
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  #long(member) {
    return this.#ask(member, (context) => longCampaign(context, this.longRecipients));
  }

  async #ask(member, make) {
    const name = `${this.label}-${this.strike}-${++this.#count}`;
    const { seed, numbers, scene } = this;
    const made = make({ seed, numbers, member, name, audioUrl: scene.audioUrl });
    const entry = { ...made, name, account: member.username, key: takesKey(made) ? name : undefined, at: Date.now() };
    this.asked.push(entry);
    await this.#send(entry, member);
  }

  async #send(entry, member) {
    const { method, path, body, key } = entry;
    const answer = await this.balancer.send({ method, path, body, key, token: member.token });
    Object.assign(entry, answer, { answeredAt: Date.now(), requestId: requestIdOf(answer.said) });
  }

  /** Pauses, cancels or retries one of the campaigns that were accepted. */
  async #change(member) {
    const { seed } = this;
    const own = this.asked.filter((entry) => entry.account === member.username && entry.requestId && !entry.isSession);
    const entry = own.length > 0 ? seed.pick(own) : undefined;
    const what = seed.weighted(CHANGE);
    const wait = seed.between(200, 900);
    if (entry === undefined) return;
    await this.#apply(member, entry.requestId, what);
    if (what !== 'pause') return;
    await sleep(wait);
    await this.#apply(member, entry.requestId, 'resume');
  }

  async #apply(member, requestId, what) {
    const key = what === 'retry-failed' ? `${this.label}-${this.strike}-${++this.#count}` : undefined;
    const change = { what, requestId, account: member.username, key, at: Date.now() };
    this.changes.push(change);
    const path = `/v6/api/campaigns/${requestId}/${what}`;
    const answer = await this.balancer.send({
      method: 'POST',
      path,
      token: member.token,
      key,
      body: key ? {} : undefined,
    });
    Object.assign(change, answer, { answeredAt: Date.now() });
    if (what === 'pause' && answer.outcome !== 'refused') this.#paused.add(requestId);
    // refused: it is not paused any more
    if (what === 'resume' && (answer.outcome === 'answered' || answer.status === 409)) this.#paused.delete(requestId);
    if (answer.outcome === 'answered' && what === 'retry-failed') change.childId = requestIdOf(answer.said);
  }

  memberOf(account) {
    return this.members.find(({ username }) => username === account);
  }

  /** After healing: goes on with what it has left paused. */
  async resumeAll() {
    for (let tries = 0; this.#paused.size > 0 && tries < 5; tries++) {
      for (const requestId of [...this.#paused]) {
        const { account } = this.changes.find((change) => change.requestId === requestId);
        await this.#apply(this.memberOf(account), requestId, 'resume');
      }
    }
  }

  /** Asks again, by the same name, what has had no answer, some at a time. @returns pairs of what was asked and the later answer */
  async askAgain() {
    const pairs = [];
    const left = this.asked.filter(({ outcome }) => outcome === 'unknown');
    const next = async () => {
      for (let entry = left.shift(); entry; entry = left.shift()) {
        const { method, path, body, key, account } = entry;
        const again = await this.balancer.send({ method, path, body, key, token: this.memberOf(account).token });
        pairs.push([entry, { ...again, requestId: requestIdOf(again.said), answeredAt: Date.now() }]);
      }
    };
    await Promise.all(Array.from({ length: AGAIN_AT_ONCE }, next));
    return pairs;
  }
}
