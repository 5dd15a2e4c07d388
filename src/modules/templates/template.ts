/** A language of templates (reference/templates#languages). */
export interface Language {
  /** the id that clients send and get; of a language that the table lacks, that of the default */
  id: number;
  /** of the id */
  name: string;
  /** short code, as the upstream spells it */
  code: string;
}

const ROWS: readonly (readonly [id: number, name: string, code: string])[] = [
  [1, 'English (US)', 'en_US'],
  [2, 'Telugu', 'te'],
  [3, 'Tamil', 'ta'],
  [4, 'Russian', 'ru'],
  [5, 'Punjabi', 'pa'],
  [6, 'Marathi', 'mr'],
  [7, 'Malayalam', 'ml'],
  [8, 'Hindi', 'hi'],
  [9, 'Gujarati', 'gu'],
  [10, 'Urdu', 'ur'],
  [11, 'Bengali', 'bn'],
  [12, 'Kannada', 'kn'],
  [13, 'English (UK)', 'en_GB'],
  [14, 'English', 'en'],
  [15, 'Hebrew', 'he'],
];

/** Every language, by id. */
export const LANGUAGES: readonly Language[] = ROWS.map(([id, name, code]) => ({ id, name, code }));

const DEFAULT_LANGUAGE = LANGUAGES[0] as Language;
const byId = new Map(LANGUAGES.map((language) => [language.id, language]));
const normalised = (text: string): string => text.trim().toLowerCase().replaceAll(/[-_]/g, '');
const byWord = new Map(
  LANGUAGES.flatMap((language) => [language.code, language.name].map((word) => [normalised(word), language])),
);

/** The language of an id as a number or a text of digits; null for anything else. */
function readLanguageId(value: unknown): Language | null {
  if (typeof value === 'number') return byId.get(value) ?? null;
  return typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? (byId.get(Number(value)) ?? null) : null;
}

const CODE = /^([a-z]{2,3})(?:[-_]([a-z]{2}))?$/i;

/** A code that the table lacks, such as `fr` or `pt_BR`: the upstream knows more languages than have ids. */
function readCode(text: string): Language | null {
  const [, language, region] = CODE.exec(text.trim()) ?? [];
  if (language === undefined || language !== language.toLowerCase()) return null;
  return { ...DEFAULT_LANGUAGE, code: region === undefined ? language : `${language}_${region.toUpperCase()}` };
}

/**
 * The language that a sender means (reference/templates#languages): an id, a name or a short code; case, `-` and `_` do
 * not count. A code that the table lacks has the id and the name of the default.
 * @returns null when it is neither
 */
export function readLanguage(value: unknown): Language | null {
  const listed = readLanguageId(value);
  if (listed || typeof value !== 'string') return listed;
  return byWord.get(normalised(value)) ?? readCode(value);
}

/** Whether the table has a language. */
export const isListed = ({ id, code }: Language): boolean => byId.get(id)?.code === code;

/** The language of a new template, as `readLanguage` has it; English (US) when omitted or invalid. */
export const languageOrDefault = (value: unknown): Language => readLanguage(value) ?? DEFAULT_LANGUAGE;

/** A stored language. @param code of one that the table lacks */
export function languageOf(id: number, code: string | null): Language {
  const language = byId.get(id) ?? DEFAULT_LANGUAGE;
  return code === null ? language : { ...language, code };
}

/** Statuses of a template, by the numbers of reference/templates#statuses. Only `approved` can be sent. */
export enum TemplateStatus {
  Draft = 0,
  Approved = 1,
  Rejected = 2,
  Pending = 3,
  Paused = 4,
  Disabled = 5,
}

/** Names of the statuses in `Template is already <state>` and in filters, by number. */
export const STATUS_LABELS = ['draft', 'approved', 'rejected', 'pending', 'paused', 'disabled'] as const;

/** What staff or the upstream's review do to a template. */
export type TemplateMove = 'approve' | 'reject' | 'pause' | 'resume' | 'disable';

const { Draft, Approved, Rejected, Pending, Paused, Disabled } = TemplateStatus;

/** The life of a template (reference/templates#statuses): 3 → 1 or 2; 1 ↔ 4; any → 5. */
const MOVES: Readonly<Record<TemplateMove, { from: readonly TemplateStatus[]; to: TemplateStatus }>> = {
  approve: { from: [Pending], to: Approved },
  reject: { from: [Pending], to: Rejected },
  pause: { from: [Approved], to: Paused },
  resume: { from: [Paused], to: Approved },
  disable: { from: [Draft, Approved, Rejected, Pending, Paused], to: Disabled },
};

/** The status after a move; null when the template's status does not allow it. */
export function statusAfter(move: TemplateMove, status: number): TemplateStatus | null {
  const { from, to } = MOVES[move];
  return from.includes(status) ? to : null;
}

/** Judgements on what the owner has written: they name the revision that was looked at. */
export const isVerdict = (move: TemplateMove): boolean => move === 'approve' || move === 'reject';

/** Whether the owner may still change or delete a template (reference/templates#own-templates). */
export const isOwnersToChange = (status: number): boolean => [Draft, Rejected, Pending].includes(status);

/** What the controller queue says of a template that was judged; null = unchanged. */
export function controllerStatusAfter(status: TemplateStatus): 'approved' | 'rejected' | null {
  if (status === Approved) return 'approved';
  return status === Rejected ? 'rejected' : null;
}

/** The status of a filter, as its number or its name; null for anything else. */
export function readStatus(text: string): TemplateStatus | null {
  const wanted = text.trim().toLowerCase();
  const number = STATUS_LABELS.findIndex((name, index) => name === wanted || String(index) === wanted);
  return number < 0 ? null : number;
}

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

/** The numbers of the placeholders of a text, `{{1}}` and so on, each once, ascending. */
export function placeholderNumbers(text: string): number[] {
  const numbers = new Set(Array.from(text.matchAll(/\{\{(\d+)\}\}/g), (match) => Number(match[1])));
  return [...numbers].sort((a, b) => a - b);
}

/**
 * How many parameters a text takes: the number of its different placeholders (reference/template-messages#parameters).
 */
export const placeholders = (text: string): number => placeholderNumbers(text).length;

/**
 * The sample of the nth placeholder where the owner gave none (reference/templates#samples). @param position counted
 * from 1
 */
const madeSample = (position: number): string => `sample ${position}`;

/** One sample for each different placeholder of the body: the owner's, in ascending order, then made ones. */
export const bodySamples = (body: string, given: readonly string[]): string[] =>
  placeholderNumbers(body).map((_, index) => given[index] ?? madeSample(index + 1));

/** The sample of a text header's placeholder; null when it has none. */
export const headerSample = (text: string): string | null =>
  placeholderNumbers(text).length > 0 ? madeSample(1) : null;
