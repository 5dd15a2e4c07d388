import { canonical, entryText, type Json, recipientText, SETTLEMENT_FORMAT, tagOf } from './encoding.js';
import type { SettledEntry, SettledRecipient } from './encoding.js';
import { leafHash, sha256, TreeHead } from './merkle.js';
import type { SettledCampaign } from './settled-rows.js';

/** Sums of a settlement's recipients and ledger entries, page by page. */
export class SettlementSums {
  readonly pages = new TreeHead();
  readonly entries = new TreeHead();
  private readonly statuses = new Map<string, number>();
  private recipients = 0;
  private parts = 0;
  private price = 0;
  private refund = 0;
  private debited = 0;
  private refunded = 0;

  /** Adds the recipients of the next page. @returns the page's root */
  addPage(recipients: readonly SettledRecipient[], saltAt: (index: number) => Buffer | null): Buffer {
    const page = new TreeHead();
    for (const [index, recipient] of recipients.entries()) {
      const salt = saltAt(index);
      if (!salt) throw new Error('a page that is to be settled has all salts');
      page.append(leafHash(recipientText(tagOf(salt, recipient.number), recipient)));
      this.statuses.set(recipient.status, (this.statuses.get(recipient.status) ?? 0) + 1);
      this.parts += recipient.parts;
      this.price += recipient.price;
      this.refund += recipient.refund;
    }
    this.recipients += recipients.length;
    const { root } = page;
    this.pages.append(root);
    return root;
  }

  addEntries(entries: readonly SettledEntry[]): void {
    for (const entry of entries) {
      this.entries.append(leafHash(entryText(entry)));
      if (entry.kind === 'debit') this.debited -= entry.amount;
      else this.refunded += entry.amount;
    }
  }

  /** What differs between recipients, campaign and ledger; null = nothing. */
  faultOf({ totalRows, chargedCredits, refundedCredits }: SettledCampaign): string | null {
    if (this.recipients !== totalRows) return `${this.recipients} recipients, the campaign has ${totalRows}`;
    const charged = [this.price, this.debited, chargedCredits];
    if (new Set(charged).size > 1) return `charged by recipients, ledger, campaign: ${charged.join(', ')}`;
    const refunded = [this.refund, this.refunded, refundedCredits];
    if (new Set(refunded).size > 1) return `refunded by recipients, ledger, campaign: ${refunded.join(', ')}`;
    return null;
  }

  get totals() {
    return {
      recipients: this.recipients,
      statuses: Object.fromEntries(this.statuses),
      parts: this.parts,
      charged: this.price,
      refunded: this.refund,
      net: this.price - this.refund,
    };
  }
}

/** Where a settlement stands in the chain of its account. */
export interface ChainLink {
  username: string;
  /** from 1 */
  number: number;
  /** digest of the settlement before; null = the first */
  previous: Buffer | null;
  /** set in the first settlement after the house was restored from a copy: later ones of before may be missing */
  restoredAt: Date | null;
}

export interface Statement {
  format: string;
  type: 'settlement';
  account: string;
  number: number;
  previous: string | null;
  restored_at: string | null;
  request_id: string;
  retry_of: string | null;
  channel: string;
  balance: string;
  state: string;
  created_at: string;
  completed_at: string;
  issued_at: string;
  root: string;
  totals: SettlementSums['totals'];
  entries: { count: number; root: string };
  key: string;
}

const iso = (ms: number): string => new Date(ms).toISOString();

export function statementOf(
  campaign: SettledCampaign,
  sums: SettlementSums,
  link: ChainLink,
  keyId: string,
  issuedAt: Date,
): { statement: Statement; text: string; digest: Buffer } {
  const statement: Statement = {
    format: SETTLEMENT_FORMAT,
    type: 'settlement',
    account: link.username,
    number: link.number,
    previous: link.previous?.toString('hex') ?? null,
    restored_at: link.restoredAt?.toISOString() ?? null,
    request_id: campaign.requestId,
    retry_of: campaign.retryOf,
    channel: campaign.channel,
    balance: campaign.balance,
    state: campaign.state,
    created_at: iso(campaign.createdAt),
    completed_at: iso(campaign.completedAt),
    issued_at: issuedAt.toISOString(),
    root: sums.pages.root.toString('hex'),
    totals: sums.totals,
    entries: { count: sums.entries.size, root: sums.entries.root.toString('hex') },
    key: keyId,
  };
  const text = canonical(statement as unknown as Json);
  return { statement, text, digest: sha256(text) };
}
