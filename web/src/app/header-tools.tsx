import { AlarmMark } from '../alarms/alarm-mark.js';
import { SearchBox } from '../search/search-box.js';
import type { Role } from './page-definition.js';

/** What stands in the bar beside the name: the search box, and the alarms of staff. */
export function HeaderTools({ role }: { role: Role }) {
  return (
    <div className="tools">
      <SearchBox role={role} />
      {role === 'staff' && <AlarmMark />}
    </div>
  );
}
