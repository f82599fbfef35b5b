import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { Button } from '../../components/button.tsx';
import { userName } from '../../components/user-link.tsx';
import { text } from './strings.ts';

/** The user whose listings are shown, with a button that shows those of everybody. Moderators read no users. */
export const OwnerChip = ({
  owner,
  isAdmin,
  onRemove,
}: {
  readonly owner: string;
  readonly isAdmin: boolean;
  readonly onRemove: () => void;
}) => {
  const { data } = useResource(
    ['users', 'one', owner],
    (signal) => dataOf(client.users.read({ params: { user: owner }, signal })),
    { isEnabled: isAdmin },
  );
  return (
    <p className="chips lead">
      <span className="chip">
        <bdi>{text.owner(data ? userName(data) : owner)}</bdi>
        <Button kind="quiet" icon="close" label={text.showOwner} onClick={onRemove} />
      </span>
    </p>
  );
};
