export { SpokenCalls } from './spoken-calls.js';
export { VoiceCalls } from './voice-calls.store.js';
export { VoiceQuoteBody, VoiceQuoteResponse } from './voice.dto.js';
export { isVoiceBody, QuoteVoiceQuery } from './voice.queries.js';
export { VOICE_QUOTE_ERRORS } from './voice.errors.js';
export { voiceChannel } from './voice.channel.js';
export { VoiceModule } from './voice.module.js';
export { voiceTables } from './tables.js';
