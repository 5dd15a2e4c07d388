import { pages as account } from '../account/pages.js';
import type { PageDefinition, Role } from './page-definition.js';

/** Every page of the application, by feature. */
export const PAGES: readonly PageDefinition[] = [...account];

/** The pages that a role sees. */
export const pagesOf = (role: Role): readonly PageDefinition[] => PAGES.filter(({ roles }) => roles.includes(role));
