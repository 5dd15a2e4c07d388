import type { Role } from './page-definition.js';

/** What stands in the bar beside the name: the search box, and the alarms of staff. */
export function HeaderTools(_properties: { role: Role }) {
  return <div className="tools" />;
}
