import type { Project } from '#contract/projects.ts';
import { useListing } from '../../app/listings.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FieldValue } from '../../components/field-value.tsx';
import { Loaded } from '../../components/states.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';

const COMPARED = ['name', 'url', 'description', 'long_description', 'categories', 'tags', 'created_at'] as const;

/** A submission beside a listing that it may repeat. */
export const Comparison = ({
  project,
  otherId,
  onClose,
}: {
  readonly project: Project;
  readonly otherId: string;
  readonly onClose: () => void;
}) => (
  <Dialog title={strings.queue.compare} isWide onClose={onClose}>
    <Loaded query={useListing(otherId)}>
      {({ project: other }) => (
        <div className="table-frame">
          <table className="table comparison">
            <thead>
              <tr>
                <td />
                <th>{strings.queue.this}</th>
                <th>
                  {strings.queue.other} <StatusBadge listing={other} />
                </th>
              </tr>
            </thead>
            <tbody>
              {COMPARED.map((field) => (
                <tr key={field}>
                  <th>{words(field)}</th>
                  <td>
                    <FieldValue value={project[field]} />
                  </td>
                  <td>
                    <FieldValue value={other[field]} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Loaded>
    <div className="dialog-actions">
      <Button onClick={onClose}>{strings.actions.close}</Button>
    </div>
  </Dialog>
);
