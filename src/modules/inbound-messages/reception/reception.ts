import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { GroupCommit } from '../../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { again, inTransaction, isPassing } from '../../../platform/database/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { type InboundSink, type InboundText, RouteDirectory, RouteLogins } from '../../providers/index.js';
import { Decisions } from './decisions.js';
import { isPart, type KeptPart, OPERATOR, readArrival, type WholeText } from './inbound-message.js';
import { type DecidedText, InboundMessageStore } from './inbound-messages.store.js';
import { InboundParts } from './parts.store.js';

interface Arrived {
  routeId: number;
  text: InboundText;
}

const GROUP = { maxItems: 500, delayMs: 5, isOwn: (error: unknown) => !isPassing(error) };
const FIRST_CHECK_MS = 500;
/** If a worker dies, another one takes its batch after the lease, and records what may have left. */
const LEASES = 4;
const MOST_ACKNOWLEDGED = 1_000;

/** Takes texts of handsets: stores each once, finds its owner, obeys its words, and publishes it (reference/inbound-messages#reception). */
@Injectable()
export class InboundReception implements InboundSink, OnApplicationShutdown {
  private readonly logger = new Logger('InboundMessages');
  private readonly group = new GroupCommit<Arrived, void>(async (arrived) => {
    for (const round of roundsOf(arrived)) await this.take(round);
    return arrived.map(() => undefined);
  }, GROUP);
  private readonly acknowledging = new GroupCommit<string, void>(
    async (fingerprints) => {
      await this.dataSource.query(again('UPDATE inbound_deliveries SET acknowledged = 1 WHERE fingerprint IN (?)'), [
        fingerprints.toSorted(),
      ]);
      return fingerprints.map(() => undefined);
    },
    { maxItems: MOST_ACKNOWLEDGED, delayMs: 200 },
  );
  private readonly patienceMs: number;

  constructor(
    @Inject(ENVIRONMENT) { LANE_LEASE }: Pick<Environment, 'LANE_LEASE'>,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly routes: RouteDirectory,
    private readonly logins: RouteLogins,
    private readonly store: InboundMessageStore,
    private readonly parts: InboundParts,
    private readonly decisions: Decisions,
  ) {
    this.patienceMs = LEASES * LANE_LEASE;
  }

  async accept(routeId: number, texts: readonly InboundText[]): Promise<void> {
    await Promise.all(texts.map((text) => this.group.add({ routeId, text })));
  }

  acknowledged(fingerprints: readonly string[]): void {
    for (const fingerprint of fingerprints)
      // An unacknowledged text is taken for a repetition a little longer than need be.
      this.acknowledging
        .add(fingerprint)
        .catch((error: unknown) => this.logger.warn({ err: safeError(error) }, 'answers to texts were not recorded'));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.group.drained(), this.acknowledging.drained()]);
  }

  /** Puts together the messages whose parts are due. @returns whether there may be more */
  async assembleDue(): Promise<boolean> {
    const keys = await this.parts.due();
    await this.receive(await this.parts.assembled(keys));
    return keys.length > 0;
  }

  /** @param arrived no two are equal deliveries */
  private async take(arrived: readonly Arrived[]): Promise<void> {
    const sharing = await this.logins.sharing();
    const countries = await this.countries(arrived);
    const read = arrived.map(({ routeId, text }) =>
      readArrival(routeId, text, countries.get(routeId) ?? null, sharing(routeId)[0] ?? routeId),
    );
    const parts = read.filter((arrival): arrival is KeptPart => isPart(arrival));
    const whole = read.filter((arrival): arrival is WholeText => !isPart(arrival));
    if (whole.length > 0) await this.receive(whole);
    if (parts.length === 0) return;
    const complete = await this.parts.keep(parts);
    await this.receive(await this.parts.assembled(complete));
  }

  private async countries(arrived: readonly Arrived[]): Promise<Map<number, string | null>> {
    const ids = [...new Set(arrived.map(({ routeId }) => routeId))];
    const routes = await Promise.all(ids.map((id) => this.routes.byId(id)));
    return new Map(
      ids.map((id, index) => {
        const country = (routes[index]?.config as { country?: unknown } | undefined)?.country;
        return [id, typeof country === 'string' ? country : null];
      }),
    );
  }

  private async receive(texts: readonly WholeText[]): Promise<void> {
    if (texts.length === 0) return;
    const prepared = await this.decisions.prepare(texts);
    const receivedAt = now();
    await inTransaction(this.dataSource, async (tx) => {
      const fresh = await this.fresh(tx, texts);
      const decided: DecidedText[] = [];
      for (const [index, text] of fresh.entries()) {
        if (text === null) continue;
        const made = await this.decisions.decide(tx, { ...text, id: newId(), receivedAt }, prepared, index, decided);
        const waits = made.accountId === OPERATOR;
        decided.push({ ...made, ownerWaitMs: waits ? FIRST_CHECK_MS : null });
      }
      await this.store.insert(tx, decided);
      await this.decisions.apply(tx, decided, prepared);
    });
  }

  /** The texts that no other process has taken, with all parts that are there now; null = taken. */
  private async fresh(tx: EntityManager, texts: readonly WholeText[]): Promise<(WholeText | null)[]> {
    const claimed = await this.store.claim(
      tx,
      texts.flatMap(({ delivery }) => delivery ?? []),
    );
    const fresh: (WholeText | null)[] = [];
    for (const text of texts) {
      const { delivery, messageKey } = text;
      if (delivery) fresh.push(claimed.has(delivery.fingerprint) ? text : null);
      else fresh.push(messageKey === null ? text : await this.parts.take(tx, messageKey));
    }
    return fresh;
  }

  /** Gives a text of the operator's inbox to an account, as if it had come for it. @returns false = it is there no more */
  async assign(id: number, accountId: number, alongside: (tx: EntityManager) => Promise<void>): Promise<boolean> {
    const text = await this.store.unowned(this.dataSource, id);
    if (!text) return false;
    const prepared = await this.decisions.prepare([text], accountId);
    return inTransaction(this.dataSource, async (tx) => {
      const decided = await this.decisions.decide(tx, text, prepared, 0);
      if (!(await this.store.own(tx, decided))) return false;
      await this.decisions.apply(tx, [decided], prepared, 'assigned');
      await alongside(tx);
      return true;
    });
  }

  /** Looks for the owners of texts that wait for one. @returns whether there may be more */
  async findOwners(): Promise<boolean> {
    const waiting = await this.store.waiting(this.dataSource);
    if (waiting.length === 0) return false;
    const prepared = await this.decisions.prepare(waiting);
    const open: number[] = [];
    for (const [index, text] of waiting.entries()) {
      const isKnown = prepared.owners[index]?.accountId != null;
      if (!isKnown) open.push(text.id);
      else
        await inTransaction(this.dataSource, async (tx) => {
          const decided = await this.decisions.decide(tx, text, prepared, index);
          if (await this.store.own(tx, decided)) await this.decisions.apply(tx, [decided], prepared, 'waited');
        });
    }
    await this.store.waitOn(this.dataSource, open, this.patienceMs);
    return waiting.length > 1 && open.length < waiting.length;
  }
}

/** Groups in which no delivery is there twice, in order. */
function roundsOf(arrived: readonly Arrived[]): Arrived[][] {
  const rounds: Arrived[][] = [];
  const seen = new Map<string, number>();
  for (const entry of arrived) {
    const fingerprint = entry.text.sms?.delivery.fingerprint;
    const round = fingerprint === undefined ? 0 : (seen.get(fingerprint) ?? 0);
    if (fingerprint !== undefined) seen.set(fingerprint, round + 1);
    (rounds[round] ??= []).push(entry);
  }
  return rounds;
}
