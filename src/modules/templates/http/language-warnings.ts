import type { AnswerWarning } from '../../../platform/http/index.js';
import { isUnknownLanguage } from '../domain/languages.js';
import type { RawTemplate } from '../domain/template-form.js';

/** The hint about a language that is none. */
export function languageWarnings({ language }: RawTemplate): AnswerWarning[] {
  if (!isUnknownLanguage(language)) return [];
  const message = 'There is no such language: the template is in English (US)';
  return [{ code: 'language_fallback', field: 'language', message }];
}
