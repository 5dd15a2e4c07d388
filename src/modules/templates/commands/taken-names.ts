import { duplicateKeyName } from '../../../platform/database/index.js';
import { templateErrors } from '../templates.errors.js';

const NAME_KEY = /\buq_templates_name$/;

/** The unique key decides who has a name; its refusal becomes the 409 of the error table. */
export async function namingTakenNames<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw NAME_KEY.test(duplicateKeyName(error) ?? '') ? templateErrors.nameTaken() : error;
  }
}
