import { readdirSync } from "node:fs";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

// Zones come from the folders, so a new module is walled in on its first day.
const modules = readdirSync(new URL("./src/modules", import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const wall = (files, patterns) => ({
  files,
  rules: { "no-restricted-imports": ["error", { patterns }] },
});

const moduleWalls = modules.map((name) =>
  wall(
    [`src/modules/${name}/**`],
    [
      { group: ["@/app/**", "**/app/**"], message: "The app gathers modules; a module never reaches into the app." },
      ...modules
        .filter((other) => other !== name)
        .map((other) => ({
          regex: `^(@/modules|\\.\\.(/\\.\\.)*(/modules)?)/${other}/`,
          message: "Modules do not import each other.",
        })),
    ],
  ),
);

const floor = [
  { group: ["**/modules/**", "**/app/**"], message: "Direction: api, components, text, theme -> modules -> app." },
];

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/*.gen.ts", "public", "test-results", "playwright-report"] },
  ...tseslint.configs.recommended,
  { files: ["src/**/*.tsx"], ...jsxA11y.flatConfigs.recommended },
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { "react-hooks": reactHooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      "no-console": "error",
      "max-len": [
        "error",
        {
          code: 120,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignorePattern: "eslint-disable",
        },
      ],
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      "@typescript-eslint/consistent-type-imports": "error",
      "jsx-a11y/no-autofocus": "off",
    },
  },
  wall(["src/api/**", "src/components/**", "src/text/**", "src/theme/**"], floor),
  ...moduleWalls,
);
