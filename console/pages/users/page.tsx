import { useUrl } from '../../app/url.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { UserList } from './user-list.tsx';
import { UserView } from './user-view.tsx';

export const Page = () => {
  const [parameters] = useUrl();
  const open = parameters.get('open');
  return (
    <>
      <PageHeader title="Users" />
      {open === null ? <UserList /> : <UserView key={open} id={open} />}
    </>
  );
};
