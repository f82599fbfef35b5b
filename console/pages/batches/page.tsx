import { useUrl } from '../../app/url.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { BatchList } from './batch-list.tsx';
import { BatchView } from './batch-view.tsx';

export const Page = () => {
  const [parameters] = useUrl();
  const open = parameters.get('open');
  return (
    <>
      <PageHeader title="Batches" />
      {open === null ? <BatchList /> : <BatchView key={open} id={open} />}
    </>
  );
};
