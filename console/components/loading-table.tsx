import * as strings from '../strings.ts';

const SKELETON_ROWS = 8;

/** What stands in place of a table while its rows are loaded: its head, and rows of the same height. */
export const LoadingTable = ({
  columns,
}: {
  readonly columns: readonly { readonly id: string; readonly label: string; readonly kind?: string | undefined }[];
}) => (
  <div className="table-frame" role="status" aria-label={strings.states.loading}>
    <table className="table" aria-hidden>
      <thead>
        <tr>
          {columns.map(({ id, label, kind }) => (
            <th key={id} className={kind === 'main' ? 'main-cell' : kind}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: SKELETON_ROWS }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike.
          <tr key={row}>
            {columns.map(({ id, kind }) => (
              <td key={id} className={kind === 'main' ? 'main-cell' : kind}>
                <span className="skeleton" />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
