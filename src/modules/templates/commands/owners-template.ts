import type { EntityManager } from 'typeorm';
import type { Template } from '../domain/template.js';
import { isOwnersToChange } from '../domain/template-status.js';
import type { TemplateStore } from '../persistence/template-store.js';
import { templateErrors } from '../templates.errors.js';

/**
 * A template that its owner may still change, locked.
 * @throws AppError not_found for another account's and for none; conflict in a state that is not the owner's any more
 */
export async function ownersTemplate(
  tx: EntityManager,
  store: TemplateStore,
  accountId: number,
  templateId: number,
): Promise<Template> {
  const template = await store.locked(tx, templateId);
  if (template?.accountId !== accountId) throw templateErrors.notFound();
  if (!isOwnersToChange(template.status)) throw templateErrors.wrongState(template.status);
  return template;
}
