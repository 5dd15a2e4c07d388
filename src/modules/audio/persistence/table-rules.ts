import type { TableRule } from '../../../platform/tables/index.js';

/** What becomes of audio. */
export const audioTables: readonly TableRule[] = [
  { table: 'audio_files', rule: 'work', why: 'the audio sweeper removes what nothing has played for a day' },
  { table: 'campaign_audio', rule: 'follows', root: 'campaigns', column: 'campaign_id' },
  { table: 'audio_chunks', rule: 'work', why: 'removed with its audio file' },
];
