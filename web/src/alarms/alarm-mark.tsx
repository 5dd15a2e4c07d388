import { Siren } from 'lucide-react';
import { Link } from '../ui/index.js';
import { useActiveAlarms } from './active-alarms.js';
import './alarms.css';

/** In the bar of staff, at every width: how many alarms are raised, and the way to them. */
export function AlarmMark() {
  const { data } = useActiveAlarms();
  const count = data?.total ?? 0;
  const isCritical = data?.data.some(({ severity }) => severity === 'critical') ?? false;
  const words = count === 0 ? 'No alarms' : count === 1 ? '1 alarm' : `${String(count)} alarms`;
  return (
    <Link
      to="/alarms"
      className={count === 0 ? 'alarm-mark' : isCritical ? 'alarm-mark critical' : 'alarm-mark warning'}
    >
      <Siren size={18} aria-hidden />
      {count > 0 && <span aria-hidden>{count > 99 ? '99+' : count}</span>}
      <span className="unseen">{words}</span>
    </Link>
  );
}
