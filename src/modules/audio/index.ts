export { audioErrors } from './audio.errors.js';
export { AudioLibrary } from './audio-library.js';
export { AudioModule, AudioWorkerModule } from './audio.module.js';
export { AudioChanged, keepForRetry, type DraftedAudio, type StoredAudio } from './audio.store.js';
export { isSpokenLanguage } from './spoken-text.js';
export { audioTables } from './tables.js';
