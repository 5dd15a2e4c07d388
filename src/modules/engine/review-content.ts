/** A key of a menu as staff see it. */
export interface ReviewMenuRow {
  digit: string;
  action: string;
  /** what is played, where staff can hear it; null where nothing is */
  clip: string | null;
  /** where that was fetched; null without a clip, and for campaigns of earlier versions, which play the address itself */
  source: string | null;
  /** what follows the clip */
  after: string | null;
  /** the number that is called */
  number: string | null;
  /** the numbers that are called without an answer there, in order */
  fallback_numbers: string[];
  /** of a submenu */
  rows: ReviewMenuRow[];
}

/** What a campaign says, as its owner wrote it; null where the channel has none. */
export interface ContentOutline {
  /** with its placeholders, where it has any */
  text: string | null;
  template: { name: string; language: string; components: readonly unknown[] } | null;
  /** addresses of what is attached */
  attachments: readonly string[];
  /** what is played */
  audio_url: string | null;
}

export const NO_OUTLINE: ContentOutline = { text: null, template: null, attachments: [], audio_url: null };

/** What recipients will hear and can reach, for the staff that approve it; null where the channel has none. */
export interface ReviewContent {
  audio_url: string | null;
  message: string | null;
  language: string | null;
  /** digits; null = the route's own number */
  caller_id: string | null;
  retries: number | null;
  menu: ReviewMenuRow[] | null;
}

export const NO_REVIEW_CONTENT: ReviewContent = {
  audio_url: null,
  message: null,
  language: null,
  caller_id: null,
  retries: null,
  menu: null,
};
