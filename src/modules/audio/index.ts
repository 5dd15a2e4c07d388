export { audioErrors } from './audio.errors.js';
export { AudioLibrary, type ClipRequest } from './audio-library.js';
export { AudioModule, AudioWorkerModule } from './audio.module.js';
export { AudioChanged, keepForRetry } from './persistence/audio-store.js';
export { type DraftedAudio, LONGEST_MS, type StoredAudio } from './stored-audio.js';
export { isSpokenLanguage } from './domain/spoken-language.js';
export { audioTables } from './persistence/table-rules.js';
