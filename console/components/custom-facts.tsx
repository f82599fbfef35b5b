import { Fragment } from 'react';
import type { Project } from '#contract/projects.ts';
import { useCustomFields } from '../app/custom-fields.ts';
import { words } from '../format.ts';
import { CustomValueText } from './custom-value.tsx';

/** The values of a listing's further fields, for a list of facts. */
export const CustomFacts = ({ values }: { readonly values: NonNullable<Project['fields']> }) => {
  const fields = new Map(useCustomFields().map((field) => [field.key, field]));
  return Object.entries(values).map(([key, value]) => (
    <Fragment key={key}>
      <dt>{fields.get(key)?.label ?? words(key)}</dt>
      <dd dir="auto">
        <CustomValueText value={value} field={fields.get(key)} />
      </dd>
    </Fragment>
  ));
};
