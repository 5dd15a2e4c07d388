import { templateErrors } from './templates.errors.js';

const ID = /^[1-9]\d{0,8}$/;

/**
 * The id of a path.
 * @throws AppError not_found `Template not found` for a text that is no id
 */
export function readTemplateId(text: string): number {
  if (!ID.test(text)) throw templateErrors.notFound();
  return Number(text);
}
