export { audioErrors } from './audio.errors.js';
export { AudioLibrary } from './audio-library.js';
export { AudioModule } from './audio.module.js';
export { LONGEST_MS, type StoredAudio } from './stored-audio.js';
