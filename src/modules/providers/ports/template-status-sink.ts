import type { ChatAccount } from '../chat-account.js';

/** The upstream's word on a template of a business account. */
export interface TemplateStatusUpdate {
  /** the upstream's id of the template */
  upstreamId: string | null;
  name: string;
  /** the upstream's language code, such as `en_US` */
  language: string | null;
  /** upper case: `APPROVED`, `REJECTED`, `PAUSED`, `DISABLED`, … */
  event: string;
  reason: string | null;
}

/** Where template reviews go. The templates module implements it; resolves after its commit, and takes repeats. */
export abstract class TemplateStatusSink {
  abstract accept(account: ChatAccount, updates: readonly TemplateStatusUpdate[]): Promise<void>;
}
