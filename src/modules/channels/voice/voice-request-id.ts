import { now } from '../../../kernel/clock.js';
import { newRequestId } from '../../../kernel/request-id.js';

/** VCAMP_YYYYMMDD_XXXXXXXX (reference/engine#request-ids). @param zone IANA zone of its date */
export const newVoiceRequestId = (zone: string): string => newRequestId('VCAMP', 8, now(), zone);
