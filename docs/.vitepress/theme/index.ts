// Fonts of the reader's system: nothing is loaded from anywhere else, and no font has to be kept.
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
