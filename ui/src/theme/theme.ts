import {
  createTheme,
  Drawer,
  Menu,
  Modal,
  MultiSelect,
  Notification,
  PasswordInput,
  Select,
  Switch,
  TagsInput,
  TextInput,
  Textarea,
  NumberInput,
  Tooltip,
  type MantineColorsTuple,
} from "@mantine/core";

// The kit wants ten shades of a primary colour; what is really painted comes from tokens.css.
const accent: MantineColorsTuple = [
  "#eceffd",
  "#d5dbfa",
  "#b9c3f5",
  "#9db0ff",
  "#7c93ff",
  "#5a6ff0",
  "#4c62ea",
  "#3e54d6",
  "#3347c4",
  "#2a3ba6",
];

// Help stands below the field it explains.
const fieldOrder = {
  inputWrapperOrder: ["label", "input", "description", "error"] as ("label" | "input" | "description" | "error")[],
};

export function createPanelTheme(words: { close: string }) {
  const closeButtonProps = { "aria-label": words.close };
  return createTheme({
    fontFamily: "var(--font-ui)",
    fontFamilyMonospace: "var(--font-mono)",
    primaryColor: "accent",
    primaryShade: { light: 7, dark: 6 },
    colors: { accent },
    defaultRadius: 6,
    respectReducedMotion: true,
    cursorType: "pointer",
    breakpoints: { xs: "30em", sm: "48em", md: "64em", lg: "90em", xl: "110em" },
    components: {
      Modal: Modal.extend({
        defaultProps: { closeButtonProps, centered: true, size: 520, transitionProps: { duration: 120 } },
      }),
      Drawer: Drawer.extend({ defaultProps: { closeButtonProps, size: 480, position: "right" } }),
      Notification: Notification.extend({ defaultProps: { closeButtonProps } }),
      Menu: Menu.extend({
        defaultProps: {
          position: "bottom-end",
          transitionProps: { duration: 120 },
          withInitialFocusPlaceholder: false,
        },
      }),
      Switch: Switch.extend({ defaultProps: { withThumbIndicator: false } }),
      Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: true } } }),
      TextInput: TextInput.extend({ defaultProps: fieldOrder }),
      Textarea: Textarea.extend({ defaultProps: fieldOrder }),
      NumberInput: NumberInput.extend({ defaultProps: fieldOrder }),
      PasswordInput: PasswordInput.extend({ defaultProps: fieldOrder }),
      Select: Select.extend({ defaultProps: { ...fieldOrder, allowDeselect: false } }),
      TagsInput: TagsInput.extend({ defaultProps: fieldOrder }),
      MultiSelect: MultiSelect.extend({ defaultProps: fieldOrder }),
    },
  });
}
