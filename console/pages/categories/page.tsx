import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { CategoryForm } from './category-form.tsx';
import { CategoryList } from './category-list.tsx';
import { DeleteDialog, MergeIntoDialog } from './removal.tsx';
import { text } from './strings.ts';

const NEW = 'new';

export const Page = () => {
  const [parameters, change] = useUrl();
  const open = parameters.get('open');
  const action = parameters.get('action');
  const categories = useResource(['categories'], (signal) => dataOf(client.categories.list({ signal })), {
    poll: open === null,
  });
  const close = () => change({ open: undefined, action: undefined }, { replace: true });
  return (
    <>
      <PageHeader title="Categories">
        <span className="push">
          <Button kind="primary" icon="add" onClick={() => change({ open: NEW })}>
            {text.add}
          </Button>
        </span>
      </PageHeader>
      <Loaded query={categories}>
        {(all) => {
          const category = all.find(({ id }) => id === open);
          return (
            <>
              {all.length === 0 ? (
                <EmptyState title={text.empty}>
                  <p>{text.emptyText}</p>
                </EmptyState>
              ) : (
                <CategoryList categories={all} />
              )}
              {open === NEW && <CategoryForm categories={all} category={undefined} onClose={close} />}
              {category && action === null && (
                <CategoryForm key={category.id} categories={all} category={category} onClose={close} />
              )}
              {category && action === 'merge' && (
                <MergeIntoDialog categories={all} category={category} onClose={close} />
              )}
              {category && action === 'delete' && <DeleteDialog category={category} onClose={close} />}
            </>
          );
        }}
      </Loaded>
    </>
  );
};
