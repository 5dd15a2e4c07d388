import type { AnswerWarning } from '../../../platform/http/index.js';
import { isListed, readLanguage } from '../domain/languages.js';
import type { RawTemplate } from '../domain/template-form.js';

/** The hint about a language that has no id: it is kept by its code, or it is none. */
export function languageWarnings({ language }: RawTemplate): AnswerWarning[] {
  if (language === undefined || language === null || language === '') return [];
  const read = readLanguage(language);
  if (read && isListed(read)) return [];
  return [
    {
      code: read ? 'language_by_code' : 'language_fallback',
      field: 'language',
      message: read
        ? `This language has no id, so id 1 stands for it: the template is handed in as ${read.code}`
        : 'There is no such language: the template is in English (US)',
    },
  ];
}
