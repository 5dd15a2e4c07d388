import { atMost, fieldErrors, invalid, notFound } from '../../../kernel/errors.js';
import { MOST_KEYWORDS } from './keywords.store.js';
import { KEYWORD_ACTIONS, LONGEST_WORD } from './words.js';

export const keywordErrors = {
  word: invalid('keyword_invalid', `word must have 1 to ${LONGEST_WORD} letters or digits`, 'nothing else counts').with(
    {
      field: 'word',
      hint: 'Marks, quotes and emoji are left out, as in the texts that are compared with it.',
    },
  ),
  action: fieldErrors.noWord.shown('action', KEYWORD_ACTIONS).because('another action'),
  builtIn: invalid(
    'keyword_built_in',
    'This word keeps its own effect',
    'an action that would take a built-in word its effect',
  ).with({ field: 'action', hint: 'Stop words take `suppress`; START, UNSTOP and HELP take `reply` or `event`.' }),
  replyRequired: fieldErrors.required.shown('reply').because('action `reply` without one'),
  reply: fieldErrors.invalid.shown('reply').because('no text, or longer than the longest SMS'),
  tooMany: invalid('too_many_keywords', atMost(MOST_KEYWORDS, 'keywords'), 'of one account').with({
    field: 'word',
    hint: 'Remove keywords that are no longer used.',
  }),
  notFound: notFound('keyword_unknown', 'Keyword not found', 'the account has no such word').with({
    field: 'word',
    hint: 'GET /v6/api/account/keywords lists those of the account.',
  }),
};
