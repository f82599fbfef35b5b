import { type ReactNode, useEffect, useRef } from 'react';
import * as strings from '../strings.ts';

let pageTitle = '';

/** Names the open record in the title of the document, before its page. */
export const useRecordTitle = (name: string | undefined): void => {
  useEffect(() => {
    if (name === undefined) return undefined;
    document.title = strings.title(`${name} · ${pageTitle}`);
    return () => {
      document.title = strings.title(pageTitle);
    };
  }, [name]);
};

/** The only `h1` of a page: its name in the navigation. It takes the focus when the page opens. */
export const PageHeader = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    pageTitle = title;
    document.title = strings.title(title);
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <header className="page-header">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </header>
  );
};
