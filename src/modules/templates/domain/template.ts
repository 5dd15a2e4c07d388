import type { Language } from './languages.js';
import type { TemplateStatus } from './template-status.js';

/** Categories, by the numbers of reference/templates#categories. */
export const CATEGORY_NUMBERS = { marketing: 1, utility: 2, auth: 3 } as const;

export type TemplateCategory = keyof typeof CATEGORY_NUMBERS;

/** The category of a stored number. */
export const categoryOf = (number: number): TemplateCategory =>
  (Object.keys(CATEGORY_NUMBERS) as TemplateCategory[]).find((name) => CATEGORY_NUMBERS[name] === number) ??
  'marketing';

/** Types of the controller queue (reference/templates#controller-queue). */
export const CONTROLLER_TYPES: Readonly<Record<TemplateCategory, string>> = {
  marketing: 'custom',
  utility: 'customutility',
  auth: 'customauth',
};

export type HeaderArea = 'media' | 'text' | 'none';

/** Empty when the header is no medium. */
export type HeaderMedia = 'Image' | 'Document' | 'Video' | '';

export interface QuickReply {
  type: 'QUICK_REPLY';
  text: string;
}

/** What the owner writes of a template. */
export interface TemplateContent {
  /** unique per account, byte for byte */
  name: string;
  category: TemplateCategory;
  language: Language;
  headerAreaType: HeaderArea;
  headerMediaType: HeaderMedia;
  /** at most 60 code points with at most one `{{1}}`; empty unless the header is a text */
  headerText: string;
  /** with placeholders `{{1}}`, `{{2}}` … */
  body: string;
  footer: string;
  quickReplies: QuickReply[];
  /** samples of the body's placeholders, ascending; the upstream's reviewers see them */
  bodyExamples: string[];
  /** sample of the header's medium; null = a built-in one */
  headerExampleUrl: string | null;
}

/** A template as it is stored. */
export interface Template extends TemplateContent {
  id: number;
  accountId: number;
  status: TemplateStatus;
  /** why it was rejected, paused or disabled */
  reason: string | null;
  /** the upstream's id once it was submitted there */
  upstreamId: string | null;
  /** 1 at first, one more with each change of the owner's */
  revision: number;
  createdAt: Date;
}
