import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';

/** The name of a listing; its id until it is known, and after it was deleted. */
export const ListingName = ({ id }: { readonly id: string }) => {
  const { data } = useResource(['projects', 'name', id], (signal) =>
    dataOf(client.projects.read({ params: { project: id }, signal })),
  );
  return <bdi>{data?.name ?? id}</bdi>;
};
