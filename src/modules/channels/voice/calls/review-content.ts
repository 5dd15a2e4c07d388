import type { ReviewContent, ReviewMenuRow } from '../../../engine/index.js';
import type { MenuRow } from '../domain/menu.js';
import type { VoiceContent } from './voice-content.js';

/** What staff review of a voice campaign: all the audio in it, and every number that it can forward to. */
export const reviewContent = (content: VoiceContent): ReviewContent => ({
  audio_url: content.audio_url,
  message: 'message' in content.source ? content.source.message : null,
  language: 'message' in content.source ? content.source.language : null,
  caller_id: content.caller_id || null,
  retries: content.retries,
  menu: content.menu?.map(reviewRow) ?? null,
});

function reviewRow(row: MenuRow): ReviewMenuRow {
  const { digit, action } = row;
  const [number = null, ...fallbacks] = row.action === 'transfer' ? row.numbers : [];
  return {
    digit,
    action,
    clip: row.action === 'audio' ? row.audio : row.action === 'submenu' ? row.prompt : null,
    source: row.action === 'audio' || row.action === 'submenu' ? (row.source ?? null) : null,
    after: row.action === 'audio' ? row.after : null,
    number,
    fallback_numbers: fallbacks,
    rows: row.action === 'submenu' ? row.rows.map(reviewRow) : [],
  };
}
