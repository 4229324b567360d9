export { isTyping, useShortcut } from "@/components/keys/use-shortcut";
