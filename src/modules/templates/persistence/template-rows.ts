import { ROW_BYTES } from '../../quotas/index.js';
import { isListed, languageOf } from '../domain/languages.js';
import {
  CATEGORY_NUMBERS,
  categoryOf,
  type HeaderArea,
  type HeaderMedia,
  type QuickReply,
  type Template,
  type TemplateContent,
} from '../domain/template.js';
import type { TemplateEntity } from './template.entities.js';

/** A row as the features see it. */
export const templateOf = (row: TemplateEntity): Template => ({
  id: row.id,
  accountId: row.accountId,
  name: row.name,
  category: categoryOf(row.category),
  language: languageOf(row.languageId, row.languageCode),
  status: row.status,
  reason: row.reason,
  headerAreaType: row.headerAreaType as HeaderArea,
  headerMediaType: row.headerMediaType as HeaderMedia,
  headerText: row.headerText,
  body: row.body,
  footer: row.footer,
  quickReplies: JSON.parse(row.quickReplies) as QuickReply[],
  bodyExamples: JSON.parse(row.bodyExamples) as string[],
  headerExampleUrl: row.headerExampleUrl,
  upstreamId: row.upstreamId,
  revision: row.revision,
  createdAt: row.createdAt,
});

/** The columns that the owner writes. */
export const columnsOf = (content: TemplateContent) => ({
  name: content.name,
  category: CATEGORY_NUMBERS[content.category],
  languageId: content.language.id,
  languageCode: isListed(content.language) ? null : content.language.code,
  headerAreaType: content.headerAreaType,
  headerMediaType: content.headerMediaType,
  headerText: content.headerText,
  headerExampleUrl: content.headerExampleUrl,
  body: content.body,
  bodyExamples: JSON.stringify(content.bodyExamples),
  footer: content.footer,
  quickReplies: JSON.stringify(content.quickReplies),
});

/** Bytes that a template counts (reference/accounts#quotas). */
export function templateBytes(content: TemplateContent): number {
  const { name, headerText, headerExampleUrl, body, bodyExamples, footer, quickReplies } = columnsOf(content);
  const texts = [name, headerText, headerExampleUrl ?? '', body, bodyExamples, footer, quickReplies];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), ROW_BYTES);
}
