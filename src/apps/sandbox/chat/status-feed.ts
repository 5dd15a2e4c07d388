import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { isUserId } from '../../../kernel/chat-user-id.js';
import type { LedgerEntry, LedgerStatus } from '../carrier/carrier-ledger.js';
import { DueQueue } from '../carrier/due-queue.js';
import { Faults } from '../carrier/faults.js';
import { CallbackSender } from '../http/callback-sender.js';
import { ChatAccountBook, messagesChange, type SandboxChatAccount } from './chat-accounts.js';

/** One step in the life of a message, as callbacks name it. */
export type ChatStep = 'sent' | 'delivered' | 'read' | 'failed';

/** Why a message failed. */
export interface ChatFailure {
  code: number;
  title: string;
  details: string;
}

/** A message whose statuses wait to leave. */
export interface StatusLife {
  entry: LedgerEntry;
  /** in order; the next one leaves a delay after the one before it */
  steps: ChatStep[];
  failure: ChatFailure | null;
}

interface DueStatus extends StatusLife {
  dueAt: number;
  /** called when the callback is through */
  posted?: () => void;
}

interface Line {
  account: SandboxChatAccount;
  waiting: DueQueue<DueStatus>;
  underWay: number;
}

const TICK_MS = 10;
const STATUSES_A_CALLBACK = 200;
const CALLBACKS_AT_ONCE = 4;
const LEDGER_WORD: Record<ChatStep, LedgerStatus> = {
  sent: 'ACCEPTED',
  delivered: 'DELIVERED',
  read: 'READ',
  failed: 'FAILED',
};

/** Statuses on their way to the accounts' callbacks: many in one call, a few calls at once, signed. */
@Injectable()
export class StatusFeed implements OnApplicationShutdown {
  private readonly lines = new Map<string, Line>();
  private readonly timer = setInterval(() => this.flush(), TICK_MS);

  constructor(
    private readonly faults: Faults,
    private readonly accounts: ChatAccountBook,
    private readonly callbacks: CallbackSender,
  ) {}

  /**
   * Begins the life of a message.
   * @returns when its first status is through, with `receiptsFirst`; else at once
   */
  async begin(account: SandboxChatAccount, life: StatusLife): Promise<void> {
    const { receiptsFirst, receiptDelayMs } = this.faults.current;
    if (!receiptsFirst) return this.line(account).waiting.push({ ...life, dueAt: performance.now() + receiptDelayMs });
    await new Promise<void>((resolve) =>
      this.line(account).waiting.push({ ...life, dueAt: performance.now(), posted: resolve }),
    );
  }

  clear(): void {
    for (const line of this.lines.values()) line.waiting.clear();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private line(account: SandboxChatAccount): Line {
    const known = this.lines.get(account.phone_number_id);
    if (known) {
      known.account = account;
      return known;
    }
    const line: Line = { account, waiting: new DueQueue(), underWay: 0 };
    this.lines.set(account.phone_number_id, line);
    return line;
  }

  private flush(): void {
    if (this.faults.current.holdReceipts) return;
    for (const line of this.lines.values()) {
      while (line.underWay < CALLBACKS_AT_ONCE) {
        const batch = this.takeBatch(line);
        if (batch.length === 0) break;
        void this.post(line, batch);
      }
    }
  }

  private takeBatch(line: Line): DueStatus[] {
    const now = performance.now();
    const batch: DueStatus[] = [];
    while (batch.length < STATUSES_A_CALLBACK) {
      const due = line.waiting.take(now);
      if (!due) break;
      batch.push(due);
    }
    return batch;
  }

  private async post(line: Line, batch: DueStatus[]): Promise<void> {
    line.underWay += 1;
    const nextAt = performance.now() + this.faults.current.receiptDelayMs;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const statuses = batch.map((due) => {
      const { entry, steps, failure } = due;
      const [step = 'sent', ...rest] = steps;
      entry.status = LEDGER_WORD[step];
      if (rest.length > 0) line.waiting.push({ entry, steps: rest, failure, dueAt: nextAt });
      return statusOf(due, step, timestamp);
    });
    const { body, headers } = this.accounts.signed(line.account, [messagesChange(line.account, { statuses })]);
    await this.callbacks.post(line.account.callback_url, body, headers);
    line.underWay -= 1;
    for (const due of batch) due.posted?.();
  }
}

function statusOf({ entry, failure }: StatusLife, step: ChatStep, timestamp: string): Record<string, unknown> {
  return {
    id: entry.id,
    status: step,
    timestamp,
    ...(isUserId(entry.to) ? { recipient_user_id: entry.to } : { recipient_id: entry.to }),
    ...(entry.ref !== null && { biz_opaque_callback_data: entry.ref }),
    ...(step === 'sent' && { pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' } }),
    ...(step === 'failed' &&
      failure && {
        errors: [
          {
            code: failure.code,
            title: failure.title,
            message: failure.title,
            error_data: { details: failure.details },
            href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
          },
        ],
      }),
  };
}
