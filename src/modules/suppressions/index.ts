export { SuppressionListModule, SuppressionsModule, SuppressionsWorkerModule } from './suppressions.module.js';
export { KeywordStore } from './keywords/keywords.store.js';
export { type Keywords, meaningOf, wordOf } from './keywords/words.js';
export { type SaidWord, StopWords } from './stop-words.js';
export { SuppressionStore } from './suppressions.store.js';
export { suppressionTables } from './tables.js';
