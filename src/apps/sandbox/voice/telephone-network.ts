import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { callOutcomeOf, type CallOutcome, sipCodeOf } from '../../../kernel/contacts.js';
import { CarrierLedger, type LedgerEntry, DueQueue, MessageIds } from '../carrier-ledger.js';
import { OnceBook, Faults } from '../faults.js';
import { type Call, newCallRecord, type CallEnd, Callees, TelephoneError } from './calls.js';
import { CallPerformer, sidOf, Clips, NetworkRequests } from './call-performer.js';

interface Ringing {
  call: Call;
  entry: LedgerEntry;
  outcome: CallOutcome;
  dueAt: number;
  over?: () => void;
}

const TICK_MS = 10;
const CALLS_AT_ONCE = 200;
const MOST_CALLS = 10_000;

/** Simulates calls: ring, answer, perform, end; the customer gets a callback for each event. */
@Injectable()
export class TelephoneNetwork implements OnApplicationShutdown {
  private readonly once = new OnceBook();
  private readonly ids = new MessageIds();
  private readonly ringing = new DueQueue<Ringing>();
  private readonly timer = setInterval(() => this.answerDue(), TICK_MS);
  private readonly calls = new Map<string, Call>();
  private underWay = 0;

  constructor(
    private readonly ledger: CarrierLedger,
    private readonly faults: Faults,
    private readonly callees: Callees,
    private readonly clips: Clips,
    private readonly performer: CallPerformer,
    private readonly requests: NetworkRequests,
  ) {}

  clear(): void {
    this.once.clear();
    this.ringing.clear();
    this.calls.clear();
    this.callees.clear();
    this.clips.clear();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  refuse(to: string): void {
    const outcome = callOutcomeOf(to);
    if (this.faults.current.throttleAll || (outcome === 'throttled once' && this.once.refuse(to))) {
      this.ledger.refusals.throttled += 1;
      throw new TelephoneError(429, 20429, 'Too Many Requests', 1);
    }
    if (outcome === 'error once' && this.once.refuse(to)) {
      this.ledger.refusals.errors += 1;
      throw new TelephoneError(500, 20500, 'An internal server error has occurred');
    }
  }

  find(sid: string): Call | null {
    return this.calls.get(sid) ?? null;
  }

  /** Starts a call; resolves immediately, or at its end with `receiptsFirst`. */
  async begin(asked: Omit<Call, 'sid' | 'record'>): Promise<Call> {
    const call: Call = { ...asked, sid: sidOf('CA', this.ids.next()), record: newCallRecord() };
    this.calls.set(call.sid, call);
    const [oldest] = this.calls.keys();
    if (this.calls.size > MOST_CALLS && oldest !== undefined) this.calls.delete(oldest);
    const to = call.to.slice(1);
    const entry = this.ledger.add(entryOf(call, to));
    const outcome = this.callees.nextOutcome(to);
    const { receiptsFirst, receiptDelayMs } = this.faults.current;
    if (!receiptsFirst) {
      this.ringing.push({ call, entry, outcome, dueAt: performance.now() + receiptDelayMs });
    } else {
      await new Promise<void>((over) => this.ringing.push({ call, entry, outcome, dueAt: 0, over }));
    }
    return call;
  }

  private answerDue(): void {
    if (this.faults.current.holdReceipts) return;
    const now = performance.now();
    while (this.underWay < CALLS_AT_ONCE) {
      const due = this.ringing.take(now);
      if (!due) return;
      this.underWay += 1;
      void this.live(due)
        .catch((error: unknown) => due.call.record.faults.push(String(error)))
        .finally(() => {
          this.underWay -= 1;
          due.over?.();
        });
    }
  }

  private async live({ call, entry, outcome }: Ringing): Promise<void> {
    const { record } = call;
    if (outcome === 'silent') return;
    await this.report(call, 'initiated');
    record.status = 'ringing';
    await this.report(call, 'ringing');
    if (outcome === 'busy' || outcome === 'no-answer' || outcome === 'failed') return this.end(call, entry, outcome);
    record.status = 'in-progress';
    await this.report(call, 'answered');
    await this.performer.perform(call);
    await this.end(call, entry, 'completed');
  }

  private async end(call: Call, entry: LedgerEntry, end: CallEnd): Promise<void> {
    call.record.status = end;
    entry.status = end === 'completed' ? 'DELIVERED' : 'FAILED';
    const sip = sipCodeOf(call.to, end);
    await this.report(call, 'completed', {
      CallDuration: String(end === 'completed' ? Math.max(1, call.record.seconds) : 0),
      ...(sip !== null && { SipResponseCode: String(sip) }),
    });
  }

  private async report(call: Call, event: string, facts: Record<string, string> = {}): Promise<void> {
    if (call.statusCallback === null || !call.statusEvents.includes(event)) return;
    await this.requests.report(call, call.statusCallback, {
      CallbackSource: 'call-progress-events',
      Timestamp: new Date().toUTCString(),
      ...facts,
    });
  }
}

function entryOf(call: Call, to: string): LedgerEntry {
  return {
    id: call.sid,
    protocol: 'voice',
    account: call.accountSid,
    from: call.from.slice(1),
    to,
    text: '',
    mediaUrl: null,
    parts: 1,
    ref: null,
    call: call.record,
    status: 'ACCEPTED',
    at: Date.now(),
  };
}
