import { Popover } from "@mantine/core";
import {
  useLayoutEffect,
  useRef,
  useState,
  type ComponentPropsWithRef,
  type ReactElement,
  type ReactNode,
} from "react";

type Target = Pick<ComponentPropsWithRef<"button">, "ref" | "onClick" | "aria-haspopup" | "aria-expanded">;

interface ButtonPopoverProps {
  button: (target: Target) => ReactElement;
  children: ReactNode;
}

/**
 * A button with a panel that opens below it and is called like the button. It is made when it is first opened: most
 * never are.
 */
export function ButtonPopover(props: ButtonPopoverProps) {
  const [made, setMade] = useState(false);
  if (made) return <MadePopover {...props} />;
  return props.button({ "aria-haspopup": "dialog", "aria-expanded": false, onClick: () => setMade(true) });
}

function MadePopover({ button, children }: ButtonPopoverProps) {
  const target = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  // It takes the place of the button that was pressed, and its focus, to which the panel gives it back.
  useLayoutEffect(() => {
    target.current?.focus({ preventScroll: true });
    setOpened(true);
  }, []);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" withinPortal trapFocus returnFocus>
      <Popover.Target>{button({ ref: target, onClick: () => setOpened((open) => !open) })}</Popover.Target>
      <Popover.Dropdown>{children}</Popover.Dropdown>
    </Popover>
  );
}
