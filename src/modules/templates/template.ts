import type { Language } from './languages.js';

/** Statuses by their numbers (reference/templates#statuses). Only approved templates can be sent. */
export enum TemplateStatus {
  Draft = 0,
  Approved = 1,
  Rejected = 2,
  Pending = 3,
  Paused = 4,
  Disabled = 5,
}

export const STATUS_LABELS = ['draft', 'approved', 'rejected', 'pending', 'paused', 'disabled'] as const;

/** Review actions of staff or the provider. */
export type TemplateMove = 'approve' | 'reject' | 'pause' | 'resume' | 'disable';

const { Draft, Approved, Rejected, Pending, Paused, Disabled } = TemplateStatus;

// reference/templates#statuses
const MOVES: Readonly<Record<TemplateMove, { from: readonly TemplateStatus[]; to: TemplateStatus }>> = {
  approve: { from: [Pending], to: Approved },
  reject: { from: [Pending], to: Rejected },
  pause: { from: [Approved], to: Paused },
  resume: { from: [Paused], to: Approved },
  disable: { from: [Draft, Approved, Rejected, Pending, Paused], to: Disabled },
};

/** The status after a move; null if the move is not allowed. */
export function statusAfter(move: TemplateMove, status: number): TemplateStatus | null {
  const { from, to } = MOVES[move];
  return from.includes(status) ? to : null;
}

/** Reviews of the owner's content must name its revision. */
export const isVerdict = (move: TemplateMove): boolean => move === 'approve' || move === 'reject';

/** Whether the owner may change or delete a template (reference/templates#own-templates). */
export const isOwnersToChange = (status: number): boolean => [Draft, Rejected, Pending].includes(status);

/** The controller status after a review; null = unchanged. */
export function controllerStatusAfter(status: TemplateStatus): 'approved' | 'rejected' | null {
  if (status === Approved) return 'approved';
  return status === Rejected ? 'rejected' : null;
}

/** Reads a status name or number; null for other text. */
export function readStatus(text: string): TemplateStatus | null {
  const wanted = text.trim().toLowerCase();
  const number = STATUS_LABELS.findIndex((name, index) => name === wanted || String(index) === wanted);
  return number < 0 ? null : number;
}

// reference/templates#categories
export const CATEGORY_NUMBERS = { marketing: 1, utility: 2, auth: 3 } as const;

export type TemplateCategory = keyof typeof CATEGORY_NUMBERS;

// The provider's words, with those of former versions of its API.
const PROVIDER_CATEGORIES: ReadonlyMap<string, TemplateCategory> = new Map([
  ['MARKETING', 'marketing'],
  ['UTILITY', 'utility'],
  ['TRANSACTIONAL', 'utility'],
  ['AUTHENTICATION', 'auth'],
  ['OTP', 'auth'],
]);

/** A category in the provider's word; null for other words. */
export const readCategory = (word: string | null): TemplateCategory | null =>
  PROVIDER_CATEGORIES.get(word?.toUpperCase() ?? '') ?? null;

export const categoryOf = (number: number): TemplateCategory =>
  (Object.keys(CATEGORY_NUMBERS) as TemplateCategory[]).find((name) => CATEGORY_NUMBERS[name] === number) ??
  'marketing';

/** Types of controller rows (reference/templates#controller-queue). */
export const CONTROLLER_TYPES: Readonly<Record<TemplateCategory, string>> = {
  marketing: 'custom',
  utility: 'customutility',
  auth: 'customauth',
};

export type HeaderArea = 'media' | 'text' | 'none';

export type HeaderMedia = 'Image' | 'Document' | 'Video' | '';

export interface QuickReply {
  type: 'QUICK_REPLY';
  text: string;
}

/** A button that leads somewhere, after the quick replies. */
export type LinkButton =
  /** `url` may end with `{{1}}`, which each send fills in; `example` is such an address for the reviewers */
  | { type: 'URL'; text: string; url: string; example?: string }
  | { type: 'PHONE_NUMBER'; text: string; phone_number: string }
  | { type: 'COPY_CODE'; example: string };

/** The owner's part of a template. */
export interface TemplateContent {
  name: string;
  category: TemplateCategory;
  language: Language;
  headerAreaType: HeaderArea;
  headerMediaType: HeaderMedia;
  /** at most 60 code points and one `{{1}}`; empty without a text header */
  headerText: string;
  body: string;
  footer: string;
  quickReplies: QuickReply[];
  buttons: LinkButton[];
  /** samples for the provider's reviewers, by ascending placeholder */
  bodyExamples: string[];
  /** sample of the media header; null = built-in */
  headerExampleUrl: string | null;
}

export interface Template extends TemplateContent {
  id: number;
  accountId: number;
  status: TemplateStatus;
  reason: string | null;
  /** the provider has changed the category since the owner last changed the template; null = it has not */
  recategorised: { from: TemplateCategory; at: Date } | null;
  /** null = not submitted yet */
  upstreamId: string | null;
  /** an authentication template that was submitted: the provider writes its text, and a button for the code */
  providerWrites: boolean;
  /** from 1; each change by the owner adds 1 */
  revision: number;
  createdAt: Date;
}

/** Different placeholder numbers of a text (`{{1}}` …), ascending. */
export function placeholderNumbers(text: string): number[] {
  const numbers = new Set(Array.from(text.matchAll(/\{\{(\d+)\}\}/g), (match) => Number(match[1])));
  return [...numbers].sort((a, b) => a - b);
}

/** Number of parameters of a text: its different placeholders (reference/template-messages#parameters). */
export const placeholders = (text: string): number => placeholderNumbers(text).length;

// Used if the owner gave no sample (reference/templates#samples).
const madeSample = (position: number): string => `sample ${position}`;

/** One sample for each placeholder of the body: the owner's, then generated ones. */
export const bodySamples = (body: string, given: readonly string[]): string[] =>
  placeholderNumbers(body).map((_, index) => given[index] ?? madeSample(index + 1));

/** A sample of a text header's placeholder; null without one. */
export const headerSample = (text: string): string | null =>
  placeholderNumbers(text).length > 0 ? madeSample(1) : null;
