import { Count, LoadState } from '../ui/index.js';
import { BALANCES } from './names.js';
import { useBalances, type Whose } from './whose.js';
import './accounts.css';

/** The six balances side by side. */
export function Balances({ whose }: { whose: Whose }) {
  const query = useBalances(whose);
  return (
    <LoadState query={query}>
      {({ data }) => (
        <dl className="balances">
          {BALANCES.map(([balance, label]) => (
            <div key={balance}>
              <dt>{label}</dt>
              <dd>
                <Count value={data.find((row) => row.balance === balance)?.available ?? 0} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </LoadState>
  );
}
