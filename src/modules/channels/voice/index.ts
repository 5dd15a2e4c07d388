export { type VoiceCall, VoiceCalls } from './persistence/voice-calls.js';
export { VoiceQuoteBody, type VoiceQuoteData, VoiceQuoteResponse } from './http/voice-quote.dto.js';
export { isVoiceBody, QuoteVoiceQuery } from './queries/quote-voice.query.js';
export { VOICE_QUOTE_ERRORS } from './voice.errors.js';
export { voiceChannel } from './voice.channel.js';
export { VoiceModule } from './voice.module.js';
export { voiceTables } from './persistence/table-rules.js';
