export { type VoiceCall, VoiceCalls } from './persistence/voice-calls.js';
export { voiceChannel } from './voice.channel.js';
export { VoiceModule } from './voice.module.js';
export { voiceTables } from './persistence/table-rules.js';
